"""Text of a PDF, page by page, and every way in which there is none."""

from pathlib import Path

import pytest

from tasks_app.documents import pdf_content
from tasks_app.documents.errors import (
    DamagedPdf,
    DocumentError,
    NoPages,
    NotAmongPages,
    NoText,
    PasswordNeeded,
    TooManyPages,
    TooMuchText,
)
from tasks_app.documents.extract import extract
from tasks_app.documents.formats import PDF
from tasks_app.documents.limits import ReadLimits
from tasks_app.documents.pages import Extracted, Page
from tasks_app.documents.pdf_faults import DRAWN, EMPTY, SCANNED, UNREADABLE
from tasks_app.documents.ranges import Ranges
from tests.support import documents, documents_pdf

LIMITS = ReadLimits(max_pages=2000, max_characters=1_000_000, memory_bytes=2**30)
OTHER_FILTER = "could not be read: unsupported filter /PlateDecode"


def extracted(
    folder: Path, data: bytes, *, ranges: Ranges | None = None, password: str = "", limits: ReadLimits = LIMITS
) -> Extracted:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type=PDF, ranges=ranges or [], password=password, limits=limits)


def pages_of(folder: Path, data: bytes) -> list[Page]:
    return extracted(folder, data).pages


def test_each_of_200_pages_holds_its_own_marker(tmp_path: Path) -> None:
    found = extracted(tmp_path, documents.marker_pdf(200))
    assert (found.paged, found.markdown, found.title) == (True, False, "")
    assert [page.number for page in found.pages] == list(range(1, 201))
    assert [page.text.split()[0] for page in found.pages] == [documents.marker(number) for number in range(1, 201)]
    assert all(page.problem is None for page in found.pages)


def test_the_story_can_be_read(tmp_path: Path) -> None:
    pages = pages_of(tmp_path, documents.story_pdf())
    assert len(pages) == 12
    assert pages[0].text.startswith("The Lamp at Carrow Point\n1. The Rock\nCarrow Point is a finger")


def test_lines_end_with_a_line_feed_alone(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.text_pdf("one\ntwo"))[0].text == "one\ntwo"


def test_a_word_divided_at_the_end_of_a_line_is_joined_again(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.text_pdf("a light-\nhouse"))[0].text == "a lighthouse"


def test_a_hyphen_before_a_number_stays(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.text_pdf("from 1914-\n1918"))[0].text == "from 1914-\n1918"


@pytest.mark.parametrize(
    ("utf16", "text"),
    [
        pytest.param("FB00", "offer", id="ligature ff"),
        pytest.param("FB03", "offier", id="ligature ffi"),
        pytest.param("FB05", "oster", id="ligature long s t"),
        pytest.param("0000", "oer", id="NUL"),
        pytest.param("D835", "o\ufffder", id="half of a surrogate pair"),
        pytest.param("D83DDE00", "o😀er", id="a whole surrogate pair"),
        pytest.param("00B2", "o²er", id="no ligature, so left alone"),
    ],
)
def test_odd_glyphs_become_text_that_can_be_stored(tmp_path: Path, utf16: str, text: str) -> None:
    assert pages_of(tmp_path, documents.mapped_pdf("o*er", glyph="*", utf16=utf16))[0].text == text


def test_the_outline_and_the_title_are_told(tmp_path: Path) -> None:
    data = documents_pdf.outlined_pdf("A  title\nof \ufb01ve", 6, ("Two", 2), ("Two and a half", 2), ("Five", 5))
    found = extracted(tmp_path, data)
    assert found.title == "A title of five"
    assert [page.heading for page in found.pages] == ["", "Two", "Two and a half", "Two and a half", "Five", "Five"]


def test_a_page_in_the_middle_of_a_section_knows_it_though_its_beginning_was_not_asked_for(tmp_path: Path) -> None:
    found = extracted(tmp_path, documents_pdf.outlined_pdf("", 6, ("Two", 2)), ranges=[(4, 5)])
    assert [(page.number, page.heading) for page in found.pages] == [(4, "Two"), (5, "Two")]


# Oddities -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "pages"),
    [
        pytest.param(documents_pdf.xref_loop_pdf(), [Page(1, "Potato")], id="loop of cross-reference tables"),
        pytest.param(documents_pdf.self_listing_pdf(), [Page(1, "Potato")], id="object stream that lists itself"),
        pytest.param(documents.looping_pdf(), [Page(1, "Potato"), Page(2, "", UNREADABLE)], id="loop of pages"),
        pytest.param(
            documents_pdf.odd_filter_pdf(readable=True), [Page(1, "", OTHER_FILTER), Page(2, "Potato")], id="filter"
        ),
        pytest.param(
            documents_pdf.broken_content_pdf(), [Page(1, "Potato"), Page(2, "", pdf_content.DAMAGED)], id="content"
        ),
        pytest.param(
            documents.text_pdf("One", "", "Three"), [Page(1, "One"), Page(2, "", DRAWN), Page(3, "Three")], id="drawing"
        ),
        pytest.param(documents_pdf.scanned_pdf("", "Two"), [Page(1, "", SCANNED), Page(2, "Two")], id="scanned page"),
        pytest.param(
            documents_pdf.pages_pdf([documents_pdf.potato(), documents_pdf.nothing()]),
            [Page(1, "Potato"), Page(2, "", EMPTY)],
            id="empty page",
        ),
        pytest.param(b"junk\n" * 200 + documents.text_pdf("Hello"), [Page(1, "Hello")], id="junk before the header"),
    ],
)
@pytest.mark.timeout(10)
def test_what_is_readable_is_read_and_the_rest_says_why_not(tmp_path: Path, data: bytes, pages: list[Page]) -> None:
    assert pages_of(tmp_path, data) == pages


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        pytest.param(documents.zero_page_pdf(), NoPages, r"The document has no pages\.", id="no pages"),
        pytest.param(
            documents.damaged_pdf(), DamagedPdf, r"This PDF is damaged and cannot be read\.", id="cut at a half"
        ),
        pytest.param(b"", DamagedPdf, "damaged", id="no byte"),
        pytest.param(b"%PDF-", DamagedPdf, "damaged", id="five bytes"),
        pytest.param(documents.png(), DamagedPdf, "damaged", id="a picture"),
        pytest.param(documents_pdf.blank_pdf(), NoText, r"No text was found\. Page 1: empty\.", id="empty"),
        pytest.param(
            documents.textless_pdf(12),
            NoText,
            r"No text was found\. Pages 1–12: scanned, it seems: page images only\. Run text recognition",
            id="scanned",
        ),
        pytest.param(documents_pdf.odd_filter_pdf(), NoText, f"Page 1: {OTHER_FILTER}.", id="unknown filter"),
    ],
)
@pytest.mark.timeout(10)
def test_a_pdf_that_gives_no_text_says_why(tmp_path: Path, data: bytes, error: type[DocumentError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        pages_of(tmp_path, data)
    assert caught.value.field == "file"


def test_pages_without_text_are_named_by_their_fault(tmp_path: Path) -> None:
    empty, odd = documents_pdf.nothing(), documents_pdf.odd()
    with pytest.raises(NoText) as caught:
        pages_of(tmp_path, documents_pdf.pages_pdf([empty, empty, odd, empty, odd]))
    assert str(caught.value) == f"No text was found. Pages 1–2, 4: empty. Pages 3, 5: {OTHER_FILTER}."


def test_many_faults_make_no_endless_sentence(tmp_path: Path) -> None:
    contents = [documents_pdf.nothing(), documents_pdf.odd()] * 200
    with pytest.raises(NoText, match="Pages 1, 3, 5, 7, 9, 11, 13, 15 and others: empty") as caught:
        pages_of(tmp_path, documents_pdf.pages_pdf(contents))
    assert len(str(caught.value)) < 300


def test_a_second_look_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_content, "SECONDS", 0.01)
    contents = [documents_pdf.potato(), *[documents_pdf.odd()] * 500]
    pages = pages_of(tmp_path, documents_pdf.pages_pdf(contents))
    assert (pages[0].text, pages[-1].problem) == ("Potato", EMPTY)


def test_a_file_that_is_gone_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        extract(tmp_path / "gone", media_type=PDF, ranges=[], password="", limits=LIMITS)


# Passwords ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["", "not asked for"])
def test_an_empty_password_opens_by_itself(tmp_path: Path, password: str) -> None:
    assert extracted(tmp_path, documents_pdf.locked_pdf(1, ""), password=password).pages[0].text.startswith("PAGE-0001")


@pytest.mark.parametrize("password", ["view", "Größe 😀"])
def test_the_right_password_opens(tmp_path: Path, password: str) -> None:
    found = extracted(tmp_path, documents_pdf.locked_pdf(2, password), password=password)
    assert [page.text.split()[0] for page in found.pages] == ["PAGE-0001", "PAGE-0002"]


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("", "This PDF needs a password to be opened. Enter it when you submit the file."),
        (
            "wrong",
            "This PDF needs a password to be opened, and the password does not fit. Enter it when you submit the file.",
        ),
    ],
)
def test_without_the_right_password_people_are_told_where_to_enter_it(
    tmp_path: Path, password: str, words: str
) -> None:
    with pytest.raises(PasswordNeeded) as caught:
        extracted(tmp_path, documents_pdf.locked_pdf(1, "view"), password=password)
    assert (str(caught.value), caught.value.wrong) == (words, bool(password))


def test_a_reason_is_never_that_of_the_document_before(tmp_path: Path) -> None:
    """pdfium remembers its last failure."""
    with pytest.raises(PasswordNeeded):
        extracted(tmp_path, documents_pdf.locked_pdf(1, "view"))
    with pytest.raises(NoPages):
        extracted(tmp_path, documents.zero_page_pdf())


# Limits and ranges --------------------------------------------------------------------------------------


def limited(**changes: int) -> ReadLimits:
    return ReadLimits(**{"max_pages": 3, "max_characters": 10_000, "memory_bytes": 2**30, **changes})


def test_more_pages_than_the_limit_are_refused_with_both_numbers(tmp_path: Path) -> None:
    assert len(extracted(tmp_path, documents.marker_pdf(3), limits=limited()).pages) == 3
    with pytest.raises(TooManyPages, match="has 4 pages, and 3 at most") as caught:
        extracted(tmp_path, documents.marker_pdf(4), limits=limited())
    assert (caught.value.pages, caught.value.limit) == (4, 3)


@pytest.mark.timeout(10)
def test_the_limit_counts_only_the_pages_asked_for(tmp_path: Path) -> None:
    data = documents_pdf.many_pages_pdf(10_000)
    found = extracted(tmp_path, data, ranges=[(1, 2), (9_999, 9_999)], limits=limited())
    assert [(page.number, page.text) for page in found.pages] == [(1, "Potato"), (2, "Potato"), (9_999, "Potato")]
    with pytest.raises(TooManyPages):
        extracted(tmp_path, data, limits=limited())


def test_pages_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(NotAmongPages, match="None of the pages asked for is in the document: it has 4"):
        extracted(tmp_path, documents.marker_pdf(4), ranges=[(5, None)])
    assert [page.number for page in extracted(tmp_path, documents.marker_pdf(4), ranges=[(4, 9)]).pages] == [4]


def test_more_text_than_the_limit_is_refused(tmp_path: Path) -> None:
    data = documents_pdf.many_pages_pdf(3)
    assert len(extracted(tmp_path, data, limits=limited(max_characters=18)).pages) == 3
    with pytest.raises(TooMuchText, match="more than 17 characters"):
        extracted(tmp_path, data, limits=limited(max_characters=17))
