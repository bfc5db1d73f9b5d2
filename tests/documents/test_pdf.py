"""Text of a PDF, page by page, and every way in which there is none."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.documents.errors import DamagedPdf, DocumentError, NoPages, NoText, PasswordNeeded, TooManyPages
from tasks_app.documents.extract import extract
from tasks_app.documents.formats import PDF
from tasks_app.documents.pages import NO_TEXT_HERE, UNREADABLE, Page
from tests.support import documents


def pages_of(folder: Path, data: bytes) -> list[Page]:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type=PDF)


def test_each_of_200_pages_holds_its_own_marker(tmp_path: Path) -> None:
    pages = pages_of(tmp_path, documents.marker_pdf(200))
    assert [page.number for page in pages] == list(range(1, 201))
    assert [page.text.split()[0] for page in pages] == [documents.marker(number) for number in range(1, 201)]
    assert all(page.problem is None for page in pages)


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


def test_a_page_without_text_among_others_says_so(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.text_pdf("First", "", "Third")) == [
        Page(1, "First"),
        Page(2, "", NO_TEXT_HERE),
        Page(3, "Third"),
    ]


def test_a_page_that_cannot_be_read_does_not_spoil_the_others(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.looping_pdf()) == [Page(1, "Potato"), Page(2, "", UNREADABLE)]


def test_junk_before_the_header_is_no_harm(tmp_path: Path) -> None:
    assert pages_of(tmp_path, b"junk\n" * 200 + documents.text_pdf("Hello"))[0].text == "Hello"


def test_an_empty_password_is_no_obstacle(tmp_path: Path) -> None:
    assert pages_of(tmp_path, documents.encrypted_pdf("Hello", user_password=""))[0].text == "Hello"


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        pytest.param(
            documents.encrypted_pdf("Hello", user_password="view"), PasswordNeeded, "needs a password", id="encrypted"
        ),
        pytest.param(documents.zero_page_pdf(), NoPages, r"The document has no pages\.", id="no pages"),
        pytest.param(
            documents.damaged_pdf(), DamagedPdf, r"This PDF is damaged and cannot be read\.", id="cut at a half"
        ),
        pytest.param(b"%PDF-", DamagedPdf, "damaged", id="five bytes"),
        pytest.param(documents.png(), DamagedPdf, "damaged", id="a picture"),
        pytest.param(documents.textless_pdf(), NoText, "it seems to be scanned", id="pictures of pages"),
    ],
)
def test_a_pdf_that_gives_no_text_says_why(tmp_path: Path, data: bytes, error: type[DocumentError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        pages_of(tmp_path, data)
    assert caught.value.field == "file"


def test_a_reason_is_never_that_of_the_document_before(tmp_path: Path) -> None:
    """One child reads document after document, and pdfium remembers its last failure."""
    with pytest.raises(PasswordNeeded):
        pages_of(tmp_path, documents.encrypted_pdf("Hello", user_password="view"))
    with pytest.raises(NoPages):
        pages_of(tmp_path, documents.zero_page_pdf())


def test_more_pages_than_the_limit_are_refused_with_both_numbers(tmp_path: Path, settings: Settings) -> None:
    settings.LONGHAUL_MAX_PAGES = 3
    assert len(pages_of(tmp_path, documents.marker_pdf(3))) == 3
    with pytest.raises(TooManyPages, match="has 4 pages, and 3 at most") as caught:
        pages_of(tmp_path, documents.marker_pdf(4))
    assert (caught.value.pages, caught.value.limit) == (4, 3)


def test_a_file_that_is_gone_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        extract(tmp_path / "gone", media_type=PDF)
