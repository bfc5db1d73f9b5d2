"""Text of Word documents: everything that people see, once, in its order."""

from pathlib import Path
from typing import Any

import pytest

from tasks_app.documents.errors import NotAmongPages, NoText
from tasks_app.documents.formats import DOCX
from tasks_app.documents.pages import Extracted, Page
from tests.support.documents_office import p, r, table, text_box, word

from .reading import read

HEADING_1 = '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'


def markdown(folder: Path, body: str, **parts: Any) -> str:
    return read(folder, word(body, **parts), DOCX).pages[0].text


def runs(*inner: str) -> str:
    return f"<w:p>{''.join(inner)}</w:p>"


def test_a_document_has_its_title_and_one_page_of_markdown(tmp_path: Path) -> None:
    data = word(p("One") + p() + p("Two 👨‍👩‍👧‍👦"), title=" The\n title ")
    assert read(tmp_path, data, DOCX) == Extracted(
        "The title", [Page(1, "One\n\nTwo 👨‍👩‍👧‍👦")], paged=False, markdown=True
    )


def test_runs_tabs_and_line_breaks_make_one_paragraph(tmp_path: Path) -> None:
    body = runs(r("light"), r("house"), "<w:r><w:tab/><w:t>tab</w:t><w:br/><w:t>next</w:t><w:noBreakHyphen/></w:r>")
    assert markdown(tmp_path, body) == "lighthouse\ttab\nnext-"


def test_headings_are_known_by_their_style_in_every_language_and_by_outline_level(tmp_path: Path) -> None:
    styles = HEADING_1 + (
        '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Circle"/><w:basedOn w:val="C"/></w:style>'
    )
    body = (
        p("Title", style="T")
        + p("One", style="berschrift1")
        + p("Own", style="Own")
        + p("Level", properties='<w:outlineLvl w:val="2"/>')
        + p("# no heading", style="C")
    )
    assert markdown(tmp_path, body, styles=styles) == "# Title\n\n# One\n\n# Own\n\n### Level\n\n\\# no heading"


def test_a_table_stands_between_its_paragraphs(tmp_path: Path) -> None:
    body = p("Above") + table(["Top left", "Top right"], ["Bottom left", "a | b"]) + p("Below")
    text = "Above\n\n| Top left | Top right |\n| --- | --- |\n| Bottom left | a \\| b |\n\nBelow"
    assert markdown(tmp_path, body) == text


def test_cells_over_several_columns_deleted_rows_and_tables_in_cells(tmp_path: Path) -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p("wide")}</w:tc>'
    gone = f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{p('gone')}</w:tc></w:tr>"
    body = f"<w:tbl><w:tr>{wide}</w:tr>{gone}<w:tr><w:tc>{p('1')}{p('2')}</w:tc><w:tc>{p('3')}</w:tc></w:tr></w:tbl>"
    assert markdown(tmp_path, body) == "| wide |  |\n| --- | --- |\n| 1<br>2 | 3 |"
    frame = f"<w:tbl><w:tr><w:tc>{p('a')}{table(['1', '2'])}</w:tc><w:tc>{p('b')}</w:tc></w:tr></w:tbl>"
    assert markdown(tmp_path, frame) == "a\n\n| 1 | 2 |\n| --- | --- |\n\nb"


def test_a_text_box_that_is_stored_twice_is_read_once_after_its_paragraph(tmp_path: Path) -> None:
    body = runs(r("Anchor"), text_box(p("Datum plane") + table(["in", "box"]))) + p("After")
    assert markdown(tmp_path, body) == "Anchor\n\nDatum plane\n\n| in | box |\n| --- | --- |\n\nAfter"


def test_a_text_box_in_a_text_box_is_read_once(tmp_path: Path) -> None:
    assert markdown(tmp_path, runs(text_box(runs(r("outer"), text_box(p("inner")))))) == "outer\n\ninner"


def test_of_alternatives_the_one_with_text_is_read(tmp_path: Path) -> None:
    picture = '<mc:Choice Requires="x"><w:drawing/></mc:Choice>'
    both = f"<mc:AlternateContent>{picture}<mc:Fallback><w:t>text</w:t></mc:Fallback></mc:AlternateContent>"
    assert markdown(tmp_path, f"<w:p><w:r>{both}</w:r></w:p>") == "text"


def test_notes_are_marked_and_follow_at_the_end(tmp_path: Path) -> None:
    body = runs(
        r("Ouch"), '<w:r><w:footnoteReference w:id="2"/></w:r>', r("."), '<w:r><w:endnoteReference w:id="2"/></w:r>'
    ) + runs(r("Again"), '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:footnoteReference w:id="9"/></w:r>')
    separator = f'<w:footnote w:id="-1">{p("no")}</w:footnote>'
    text = markdown(
        tmp_path,
        body,
        footnotes=f'{separator}<w:footnote w:id="2">{p(" A tachyon.")}{p("More.")}</w:footnote>',
        endnotes=f'<w:endnote w:id="2">{p("Fin.")}</w:endnote>',
    )
    assert text == "Ouch.[^1][^2]\n\nAgain[^1]\n\n[^1]: A tachyon.\n\n    More.\n\n[^2]: Fin."


def test_each_distinct_header_comes_first_and_each_distinct_footer_last(tmp_path: Path) -> None:
    used = "".join(
        f'<w:{kind}Reference r:id="{kind[0]}{number}"/>' for kind in ("header", "footer") for number in range(3)
    )
    data = word(
        p("Body") + f"<w:sectPr>{used}</w:sectPr>",
        headers=(p("Report"), p("Report"), p("Draft")),
        footers=(p("17"), p("Page 17"), p()),
    )
    assert read(tmp_path, data, DOCX).pages[0].text == "Report\n\nDraft\n\nBody\n\nPage 17"


def test_insertions_are_in_and_deletions_are_out(tmp_path: Path) -> None:
    body = runs(
        r("one "),
        f"<w:ins>{r('inserted ')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:ins>",
        f"<w:del><w:r><w:delText>deleted</w:delText></w:r>{r('deleted too')}</w:del>",
        r("two"),
    )
    assert markdown(tmp_path, body) == "one inserted two"


def test_moved_text_is_read_once_where_it_went(tmp_path: Path) -> None:
    body = runs(f"<w:moveFrom>{r('moved')}</w:moveFrom>", r("left")) + runs(f"<w:moveTo>{r('moved')}</w:moveTo>")
    assert markdown(tmp_path, body) == "left\n\nmoved"


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next(tmp_path: Path) -> None:
    assert markdown(tmp_path, p("one ", properties="<w:rPr><w:del/></w:rPr>") + p("two")) == "one two"
    assert markdown(tmp_path, p("one", properties="<w:rPr><w:del/></w:rPr>")) == "one"


def test_content_controls_are_read_and_their_placeholders_are_not(tmp_path: Path) -> None:
    block = f"<w:sdt><w:sdtContent>{p('block')}</w:sdtContent></w:sdt>"
    inline = f"<w:p>{r('in')}<w:sdt><w:sdtContent>{r('line')}</w:sdtContent></w:sdt></w:p>"
    empty = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{p('Click here')}</w:sdtContent></w:sdt>"
    row = f"<w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>"
    rows = f"<w:tbl><w:sdt><w:sdtContent>{row}</w:sdtContent></w:sdt></w:tbl>"
    assert markdown(tmp_path, block + inline + empty + rows) == "block\n\ninline\n\n| a | b |\n| --- | --- |"


def test_hidden_text_and_comments_are_left_out(tmp_path: Path) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="H"><w:name w:val="H"/><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="P"><w:name w:val="P"/><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    body = (
        runs(r("seen"), r("no", properties="<w:vanish/>"), r("no", properties='<w:rStyle w:val="H"/>'))
        + runs(r("not hidden", properties='<w:vanish w:val="0"/>'), '<w:r><w:commentReference w:id="0"/></w:r>')
        + p("no", style="P")
    )
    comments = {"word/comments.xml": b"<w:comments/>"}
    assert read(tmp_path, word(body, styles=styles, more=comments), DOCX).pages[0].text == "seen\n\nnot hidden"


def field(instruction: str, result: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    return mark("begin") + instruction + mark("separate") + result + mark("end")


def test_of_a_field_its_result_is_read_once(tmp_path: Path) -> None:
    code = "<w:r><w:instrText>PAGEREF x</w:instrText></w:r>"
    nested = field(code + field(code, r("no")), r("17"))
    simple = f'<w:fldSimple w:instr="DATE">{r("today")}</w:fldSimple>'
    assert markdown(tmp_path, runs(r("page "), nested, r(", "), simple)) == "page 17, today"


def test_a_field_over_several_paragraphs_is_read_and_one_without_an_end_swallows_nothing(tmp_path: Path) -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
    separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    assert markdown(tmp_path, runs(begin, separate, r("1 One")) + p("2 Two")) == "1 One\n\n2 Two"
    assert markdown(tmp_path, runs(r("before"), begin, r("no")) + p("after")) == "before\n\nafter"


def test_links_lead_out_or_are_plain_text(tmp_path: Path) -> None:
    body = runs(*(f'<w:hyperlink r:id="l{n}">{r(text)}</w:hyperlink>' for n, text in enumerate(("site ", "script "))))
    anchor = f'<w:p><w:hyperlink w:anchor="x">{r("inside")}</w:hyperlink></w:p>'
    data = word(body + anchor, links=("https://example.org/a", "javascript:alert(1)"))
    assert read(tmp_path, data, DOCX).pages[0].text == "[site](https://example.org/a) script\n\ninside"


def test_formulas_ruby_symbols_and_powers(tmp_path: Path) -> None:
    formula = "<m:oMath><m:r><m:t>x=</m:t></m:r><m:r><m:t>y</m:t></m:r></m:oMath>"
    ruby = f"<w:r><w:ruby><w:rt>{r('かんじ')}</w:rt><w:rubyBase>{r('漢字')}</w:rubyBase></w:ruby></w:r>"
    symbols = '<w:r><w:sym w:font="Arial" w:char="20AC"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'
    power = r("10") + r("6", properties='<w:vertAlign w:val="superscript"/>')
    assert markdown(tmp_path, runs(formula, r(" "), ruby, symbols, power)) == "x=y 漢字(かんじ)€10^6"


def level(number: int, form: str, text: str) -> str:
    return f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


def listed(text: str, list_id: int, list_level: int = 0, style: str = "") -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{list_level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return p(text, style=style, properties=numbered)


NUMBERING = (
    f'<w:abstractNum w:abstractNumId="0">{level(0, "bullet", "")}{level(1, "bullet", "o")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="1">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%2)")}'
    f"{level(2, 'lowerRoman', '%1.%3')}</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
    "</w:lvlOverride></w:num>"
)


def test_lists_have_their_bullets_and_the_labels_that_word_shows(tmp_path: Path) -> None:
    body = (
        listed("one", 1)
        + listed("sub", 1, 1)
        + p("between")
        + listed("first", 2)
        + listed("letter", 2, 1)
        + listed("letter", 2, 1)
        + listed("roman", 2, 2)
        + listed("second", 2)
        + listed("letter", 2, 1)
        + listed("anew", 3)
        + listed("none", 0)
    )
    assert markdown(tmp_path, body, numbering=NUMBERING).split("\n\n") == [
        "- one\n  - sub",
        "between",
        "1. first\n  a) letter\n  b) letter\n    1.i roman\n2. second\n  a) letter\n1. anew",
        "none",
    ]


def test_a_numbered_heading_has_its_number(tmp_path: Path) -> None:
    body = listed("Scope", 2, style="berschrift1") + listed("Bullet", 1, style="berschrift1")
    assert markdown(tmp_path, body, styles=HEADING_1, numbering=NUMBERING) == "# 1. Scope\n\n# Bullet"


def test_page_breaks_make_pages(tmp_path: Path) -> None:
    before = p("three", properties="<w:pageBreakBefore/>")
    inside = runs(r("four"), '<w:r><w:br w:type="page"/></w:r>', r("five"))
    extracted = read(tmp_path, word(p("one") + PAGE_BREAK + p("two") + PAGE_BREAK + before + PAGE_BREAK + inside), DOCX)
    assert extracted.paged
    assert [page.text for page in extracted.pages] == ["one", "two", "three", "four", "five"]
    assert [page.number for page in extracted.pages] == [1, 2, 3, 4, 5]


def test_a_section_begins_a_page_unless_it_says_that_it_goes_on(tmp_path: Path) -> None:
    def section(kind: str) -> str:
        return f'<w:sectPr><w:type w:val="{kind}"/></w:sectPr>' if kind else "<w:sectPr/>"

    body = p("one", properties=section("")) + p("two", properties=section("")) + p("three") + section("continuous")
    assert [page.text for page in read(tmp_path, word(body), DOCX).pages] == ["one", "two\n\nthree"]


def test_notes_stand_at_the_end_of_the_page_that_refers_to_them(tmp_path: Path) -> None:
    body = runs(r("one"), '<w:r><w:footnoteReference w:id="1"/></w:r>') + PAGE_BREAK + p("two")
    data = word(body, footnotes=f'<w:footnote w:id="1">{p("Note")}</w:footnote>')
    assert [page.text for page in read(tmp_path, data, DOCX).pages] == ["one[^1]\n\n[^1]: Note", "two"]


def test_ranges_choose_among_the_pages(tmp_path: Path) -> None:
    data = word(PAGE_BREAK.join(p(f"page {number}") for number in range(1, 6)))
    assert [page.number for page in read(tmp_path, data, DOCX, ranges=[(2, 3), (5, None)]).pages] == [2, 3, 5]
    with pytest.raises(NotAmongPages, match="it has 5"):
        read(tmp_path, data, DOCX, ranges=[(6, None)])


def test_the_strict_form_of_the_standard_is_read(tmp_path: Path) -> None:
    body = (
        '<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body>'
        f"{p('strict')}</w:body></w:document>"
    )
    data = word("", more={"word/document.xml": body.encode()})
    assert read(tmp_path, data, DOCX).pages[0].text == "strict"


@pytest.mark.parametrize("body", ["", p("  "), "<w:p><w:r><w:drawing/></w:r></w:p>", PAGE_BREAK * 3])
def test_a_document_without_text_is_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(NoText, match="nothing but pictures or white space"):
        read(tmp_path, word(body), DOCX)
