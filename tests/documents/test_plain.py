"""Text of plain text and Markdown files: encodings, form feeds, nothing at all."""

import codecs
from dataclasses import replace
from pathlib import Path

import pytest

from tasks_app.documents.errors import NotAmongPages, NoText, TooManyPages, TooMuchText
from tasks_app.documents.formats import MARKDOWN, TEXT
from tasks_app.documents.pages import NO_TEXT_HERE, Extracted, Page
from tests.support import documents
from tests.support import documents_text as texts

from .reading import LIMITS, read


def pages_of(folder: Path, data: bytes, media_type: str = TEXT) -> list[Page]:
    return read(folder, data, media_type).pages


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (texts.GERMAN, "utf-8"),
        (texts.GERMAN, "utf-8-sig"),
        (texts.GERMAN, "utf-16"),
        (texts.GERMAN, "utf-16-le"),
        (texts.GERMAN, "utf-32"),
        (texts.GERMAN, "cp1252"),
        (texts.RUSSIAN, "cp1251"),
        (texts.CHINESE, "gb18030"),
        (texts.JAPANESE, "shift_jis"),
    ],
)
def test_the_encoding_is_found(tmp_path: Path, text: str, encoding: str) -> None:
    assert pages_of(tmp_path, text.encode(encoding)) == [Page(1, text)]


def test_utf_16_with_the_big_end_first_is_found(tmp_path: Path) -> None:
    assert pages_of(tmp_path, codecs.BOM_UTF16_BE + "Grüße 😀".encode("utf-16-be")) == [Page(1, "Grüße 😀")]


def test_bytes_that_break_their_marked_encoding_become_replacement_signs(tmp_path: Path) -> None:
    assert pages_of(tmp_path, codecs.BOM_UTF8 + b"a\xffb") == [Page(1, "a\ufffdb")]
    assert pages_of(tmp_path, codecs.BOM_UTF16_LE + b"\x3d\xd8a\0\0\0") == [Page(1, "\ufffda\ufffd")]


def test_a_text_without_form_feeds_knows_no_pages(tmp_path: Path) -> None:
    assert read(tmp_path, b"one\n", TEXT) == Extracted("", [Page(1, "one\n")], paged=False, markdown=False)


def test_a_form_feed_ends_a_page(tmp_path: Path) -> None:
    extracted = read(tmp_path, b"one\ftwo\f\ffour\f", TEXT)
    assert extracted.paged
    assert extracted.pages == [Page(1, "one"), Page(2, "two"), Page(3, "", NO_TEXT_HERE), Page(4, "four")]


def test_only_the_pages_asked_for_are_given_under_their_own_numbers(tmp_path: Path) -> None:
    extracted = read(tmp_path, documents.marker_txt(20), TEXT, ranges=[(18, None), (3, 4), (4, 5)])
    assert [page.number for page in extracted.pages] == [3, 4, 5, 18, 19, 20]
    assert all(page.text.startswith(documents.marker(page.number)) for page in extracted.pages)


def test_pages_that_are_not_there_are_refused_with_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(NotAmongPages, match="it has 2"):
        read(tmp_path, b"one\ftwo", TEXT, ranges=[(3, 9)])


def test_a_range_chooses_nothing_where_there_are_no_pages(tmp_path: Path) -> None:
    assert read(tmp_path, b"one", TEXT, ranges=[(3, 9)]).pages == [Page(1, "one")]


def test_each_page_of_a_marker_document_holds_its_own_marker(tmp_path: Path) -> None:
    pages = pages_of(tmp_path, documents.marker_txt(200))
    assert [page.text.split()[0] for page in pages] == [documents.marker(number) for number in range(1, 201)]


def test_line_ends_and_white_space_stay(tmp_path: Path) -> None:
    assert pages_of(tmp_path, b"  one\r\n\ttwo\n\n") == [Page(1, "  one\r\n\ttwo\n\n")]


def test_markdown_is_read_as_it_is_written(tmp_path: Path) -> None:
    extracted = read(tmp_path, b"# Title\n\n* one\n", MARKDOWN)
    assert extracted == Extracted("", [Page(1, "# Title\n\n* one\n")], paged=False, markdown=True)


@pytest.mark.parametrize("data", [b" \r\n\t ", b"\f\f \f", codecs.BOM_UTF8])
def test_white_space_alone_is_no_text(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(NoText, match="nothing but white space"):
        pages_of(tmp_path, data)


def test_more_pages_than_the_limit_are_refused_with_both_numbers(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_pages=3)
    assert len(read(tmp_path, b"a\fb\fc\f", TEXT, limits=limits).pages) == 3
    assert len(read(tmp_path, b"a\fb\fc\fd", TEXT, limits=limits, ranges=[(2, None)]).pages) == 3
    with pytest.raises(TooManyPages, match="has 4 pages, and 3 at most"):
        read(tmp_path, b"a\fb\fc\fd", TEXT, limits=limits)


def test_more_text_than_the_limit_is_refused(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_characters=10)
    assert read(tmp_path, b"12345\f67890\f1", TEXT, limits=limits, ranges=[(1, 2)]).pages[1].text == "67890"
    with pytest.raises(TooMuchText, match="more than 10 characters"):
        read(tmp_path, b"12345\f67890\f1", TEXT, limits=limits)
