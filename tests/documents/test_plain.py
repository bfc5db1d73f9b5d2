"""Text of plain text and Markdown files: encodings, form feeds, nothing at all."""

import codecs
from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.documents.errors import NoText, TooManyPages
from tasks_app.documents.extract import extract
from tasks_app.documents.formats import MARKDOWN, TEXT
from tasks_app.documents.pages import NO_TEXT_HERE, Page
from tests.support import documents

GERMAN = "Über den Dächern der Stadt lag früher Nebel, und die Größe der Häuser ließ sich schwer schätzen. " * 3
RUSSIAN = "Ранним утром над городом стоял туман, и высоту домов было трудно определить. " * 3


def pages_of(folder: Path, data: bytes, media_type: str = TEXT) -> list[Page]:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type=media_type)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        (RUSSIAN, "cp1251"),
    ],
)
def test_the_encoding_is_found(tmp_path: Path, text: str, encoding: str) -> None:
    assert pages_of(tmp_path, text.encode(encoding)) == [Page(1, text)]


def test_utf_16_with_the_big_end_first_is_found(tmp_path: Path) -> None:
    assert pages_of(tmp_path, codecs.BOM_UTF16_BE + "Grüße 😀".encode("utf-16-be")) == [Page(1, "Grüße 😀")]


def test_bytes_that_break_their_marked_encoding_become_replacement_signs(tmp_path: Path) -> None:
    assert pages_of(tmp_path, codecs.BOM_UTF8 + b"a\xffb") == [Page(1, "a\ufffdb")]
    assert pages_of(tmp_path, codecs.BOM_UTF16_LE + b"\x3d\xd8a\0\0\0") == [Page(1, "\ufffda\ufffd")]


def test_a_form_feed_ends_a_page(tmp_path: Path) -> None:
    assert pages_of(tmp_path, b"one\ftwo\f\ffour\f") == [
        Page(1, "one"),
        Page(2, "two"),
        Page(3, "", NO_TEXT_HERE),
        Page(4, "four"),
    ]


def test_each_page_of_a_marker_document_holds_its_own_marker(tmp_path: Path) -> None:
    pages = pages_of(tmp_path, documents.marker_txt(200))
    assert [page.text.split()[0] for page in pages] == [documents.marker(number) for number in range(1, 201)]


def test_line_ends_and_white_space_stay(tmp_path: Path) -> None:
    assert pages_of(tmp_path, b"  one\r\n\ttwo\n\n") == [Page(1, "  one\r\n\ttwo\n\n")]


def test_markdown_is_read_as_it_is_written(tmp_path: Path) -> None:
    assert pages_of(tmp_path, b"# Title\n\n* one\n", MARKDOWN) == [Page(1, "# Title\n\n* one\n")]


@pytest.mark.parametrize("data", [b" \r\n\t ", b"\f\f \f", codecs.BOM_UTF8])
def test_white_space_alone_is_no_text(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(NoText, match="nothing but white space"):
        pages_of(tmp_path, data)


def test_more_pages_than_the_limit_are_refused_with_both_numbers(tmp_path: Path, settings: Settings) -> None:
    settings.LONGHAUL_MAX_PAGES = 3
    assert len(pages_of(tmp_path, b"a\fb\fc\f")) == 3
    with pytest.raises(TooManyPages, match="has 4 pages, and 3 at most"):
        pages_of(tmp_path, b"a\fb\fc\fd")
