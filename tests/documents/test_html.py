"""Text of HTML pages: what is in it, what is left out, and pages made to hurt."""

from dataclasses import replace
from pathlib import Path

import pytest

from tasks_app.documents.decode import encoding_of
from tasks_app.documents.errors import NoText, TooMuchText
from tasks_app.documents.formats import HTML
from tasks_app.documents.pages import Extracted, Page
from tests.support import documents_text as texts
from tests.support.documents_text import page

from .reading import LIMITS, read


def markdown(folder: Path, body: str) -> str:
    return read(folder, page(body).encode(), HTML).pages[0].text


def test_a_page_has_its_title_and_one_page_of_markdown(tmp_path: Path) -> None:
    data = page("<h1>Head</h1><p>Text", title=" The\n title &amp; more ").encode()
    assert read(tmp_path, data, HTML) == Extracted(
        "The title & more", [Page(1, "# Head\n\nText")], paged=False, markdown=True
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("<h2>A <b>bold</b>\nhead</h2>", "## A bold head", id="heading"),
        pytest.param("before<p>one <i>two</i>\n three<p>four", "before\n\none two three\n\nfour", id="paragraphs"),
        pytest.param("one<br>two <br/> three", "one\ntwo\nthree", id="line breaks"),
        pytest.param("<div><div>one</div>two</div>three", "one\n\ntwo\n\nthree", id="divisions"),
        pytest.param("<ul><li>one<li>two<ul><li>sub</ul><li>three</ul>", "- one\n- two\n  - sub\n- three", id="list"),
        pytest.param("<ol><li><p>one</p><p>more</p><li>two</ol>", "1. one\n\n   more\n2. two", id="numbered list"),
        pytest.param("<blockquote>one<p>two</blockquote>", "> one\n>\n> two", id="quotation"),
        pytest.param("<pre>  one\n    two\n</pre>", "```\n  one\n    two\n```", id="code"),
        pytest.param("<pre>```</pre>", "````\n```\n````", id="code with fences"),
        pytest.param("<dl><dt>term<dd>meaning</dl>", "term\n\nmeaning", id="definitions"),
        pytest.param("10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup>", "10^6 H2O 1st", id="powers"),
        pytest.param("<p># one<p>#two", "\\# one\n\n#two", id="what only looks like a heading"),
        pytest.param("a&nbsp;&lt;b&gt; &copy; &#x1F600; &nonsense;", "a\xa0<b> © 😀 &nonsense;", id="entities"),
        pytest.param("<p>Grüße 世界 👨‍👩‍👧‍👦", "Grüße 世界 👨‍👩‍👧‍👦", id="characters"),
    ],
)
def test_the_structure_becomes_markdown(tmp_path: Path, body: str, text: str) -> None:
    assert markdown(tmp_path, body) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(
            "Above<table><tr><th>A<th>B|C<tr><td>1<td><p>2<p>3</table>Below",
            "Above\n\n| A | B\\|C |\n| --- | --- |\n| 1 | 2<br>3 |\n\nBelow",
            id="in its place",
        ),
        pytest.param(
            "<table><caption>Cap</caption><tr><td>1<td>2</table>", "Cap\n\n| 1 | 2 |\n| --- | --- |", id="caption"
        ),
        pytest.param(
            "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d</table>",
            "| a | b |\n| --- | --- |\n|  | c |\n| d |  |",
            id="cells that reach over others",
        ),
        pytest.param("<table><tr><td>one<tr><td>two</table>", "one\n\ntwo", id="one column lays out"),
        pytest.param(
            "<table><tr><td><table><tr><td>1<td>2</table><td>side</table>",
            "| 1 | 2 |\n| --- | --- |\n\nside",
            id="a table around a table lays out",
        ),
    ],
)
def test_tables(tmp_path: Path, body: str, text: str) -> None:
    assert markdown(tmp_path, body) == text


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ('<a href="https://example.org/a?b=1">site</a>', "[site](https://example.org/a?b=1)"),
        ('<a href="https://example.org/(a)">site</a>', "[site](<https://example.org/(a)>)"),
        ('<a href="https://example.org">https://example.org</a>', "https://example.org"),
        ('<a href="mailto:me@example.org">me</a>', "[me](mailto:me@example.org)"),
        ('<a href=" JavaScript:alert(1)">click</a>', "click"),
        ('<a href="data:text/html,x">click</a>', "click"),
        ('<a href="#part">part</a> <a href="/other">other</a>', "part other"),
        ('<a href="https://example.org"><img src=x></a>text', "text"),
        ('<a href="https://example.org"><div>one</div><div>two</div></a>', "one\n\ntwo"),
    ],
)
def test_links_keep_their_text_and_only_addresses_that_lead_out(tmp_path: Path, element: str, text: str) -> None:
    assert markdown(tmp_path, element) == text


@pytest.mark.parametrize(
    "element",
    [
        "<script>document.write('<p>no</p>')</script>",
        "<style>p { color: red }</style>",
        "<template><p>no</template>",
        "<noscript><p>no</noscript>",
        "<p hidden>no",
        '<p style="color: red; DISPLAY : none">no',
        "<div style='visibility:hidden'><p>no<p>no</div>",
        "<select><option>no</select>",
        "<!-- no -->",
        "<img alt=no src=x>",
        "<iframe>no</iframe>",
        "<input type=hidden value=no hidden>",
    ],
)
def test_what_is_not_seen_is_left_out(tmp_path: Path, element: str) -> None:
    assert markdown(tmp_path, f"<p>before</p>{element}<p>after") == "before\n\nafter"


def test_only_the_pages_own_title_counts(tmp_path: Path) -> None:
    data = page("<svg><title>picture</title></svg><p>Text").replace("<title></title>", "<title>page</title>")
    extracted = read(tmp_path, data.encode(), HTML)
    assert (extracted.title, extracted.pages[0].text) == ("page", "Text")


@pytest.mark.parametrize("body", ["", "<img src=a.png>" * 20, "<script>x()</script>", "<p> &nbsp; <br>"])
def test_a_page_that_shows_no_text_is_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(NoText, match="nothing but pictures"):
        markdown(tmp_path, body)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("shift_jis", '<meta charset="Shift_JIS">'),
        ("euc-jp", '<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">'),
        ("shift_jis", ""),
        ("utf-8", "<meta charset=shift_jis>"),
        ("utf-16-le", "<meta charset=utf-8>"),
        ("utf-16", ""),
    ],
)
def test_the_encoding_is_found_or_declared(tmp_path: Path, encoding: str, declared: str) -> None:
    data = page(f"<p>{texts.JAPANESE}", head=declared).encode(encoding)
    assert read(tmp_path, data, HTML).pages[0].text == texts.JAPANESE


def test_utf_16_without_a_mark_keeps_every_character_beyond_16_bits(tmp_path: Path) -> None:
    data = texts.plane_1_page()
    text = read(tmp_path, data, HTML).pages[0].text
    assert encoding_of(data) == "utf-16-le"
    assert (sum(sign > "\uffff" for sign in text), "\ufffd" in text) == (127, False)


def test_nul_and_broken_bytes_become_replacement_signs(tmp_path: Path) -> None:
    data = page(f"<p>a\0b &#0; &#xD800; {texts.GERMAN}").encode().replace(b"Nebel", b"Ne\xffbel")
    assert (
        read(tmp_path, data, HTML).pages[0].text
        == f"a\ufffdb \ufffd \ufffd {texts.GERMAN.replace('Nebel', 'Ne\ufffdbel')}"
    )


@pytest.mark.parametrize(
    "opening",
    ["<div>", "<b>", "<span><p>", "<blockquote>", "<ul><li>", "<table><tr><td>", "<sup>", "<pre>", "<a href=x>"],
)
def test_elements_in_each_other_ten_thousand_deep_are_read(tmp_path: Path, opening: str) -> None:
    assert "deep" in markdown(tmp_path, opening * 10_000 + "deep")


def test_tags_that_are_never_closed_or_never_opened_are_read(tmp_path: Path) -> None:
    text = markdown(tmp_path, "</p></table></li></ul><table><tr><td>1<ul><li>2</table></ul>3<h1>4")
    assert [sign for sign in text if sign.isdigit()] == ["1", "2", "3", "4"]


def test_entities_of_the_pages_own_are_not_followed(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 12))
    data = f'<!DOCTYPE html [<!ENTITY a0 "ha">{entities}]><html><body><p>&a11; text</p></body></html>'
    assert len(read(tmp_path, data.encode(), HTML).pages[0].text) < 2000


def test_cells_that_claim_to_reach_over_millions_stay_a_small_table(tmp_path: Path) -> None:
    text = markdown(tmp_path, "<table>" + "<tr><td rowspan=9999 colspan=9999>cell</tr>" * 2000 + "</table>")
    assert text.count("cell") == 2000
    assert len(text) < 200_000


def test_more_text_than_the_limit_is_refused_while_it_is_read(tmp_path: Path) -> None:
    data = page("<p>twelve signs" * 100).encode()
    limits = replace(LIMITS, max_characters=1199)
    with pytest.raises(TooMuchText):
        read(tmp_path, data, HTML, limits=limits)


def test_a_large_page_is_read(tmp_path: Path) -> None:
    body = "<table>" + "<tr><td>cell<td>other</tr>" * 40_000 + "</table>" + "<p>word <b>word</b></p>" * 40_000
    assert markdown(tmp_path, body).count("word") == 80_000
