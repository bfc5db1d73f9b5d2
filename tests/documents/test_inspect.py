"""The look at an uploaded file: what it is by content, its size and hash, and what is refused."""

import codecs
import hashlib
import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from tasks_app.documents.errors import EmptyFile, FileTooLarge, UnsupportedFile
from tasks_app.documents.formats import DOCX, HTML, LOCKED_OFFICE, MARKDOWN, PDF, TEXT
from tasks_app.documents.inspect import FileFacts, inspect
from tests.support import documents, documents_office, documents_text

ACCEPTED = "Accepted are PDF, Word (DOCX), HTML, plain text and Markdown files."
# Longer than what is looked at of a file's ends.
LONG = {f"customXml/item{number}.xml": bytes(200) for number in range(200)}


def look(data: bytes, name: str = "file") -> FileFacts:
    return inspect(io.BytesIO(data), name=name)


def test_size_hash_name_and_type_are_told() -> None:
    data = documents.marker_pdf(2)
    facts = look(data, "report.pdf")
    assert facts == FileFacts(PDF, "report.pdf", len(data), hashlib.sha256(data).hexdigest())


def test_a_file_of_many_blocks_has_the_hash_of_the_whole() -> None:
    data = b"All work and no play.\n" * 50_000
    assert look(data).sha256 == hashlib.sha256(data).hexdigest()
    assert look(data).size == len(data)


def test_the_file_is_read_from_its_beginning_and_left_there() -> None:
    file = io.BytesIO(b"Hello")
    file.seek(3)
    assert inspect(file, name="a.txt").size == 5
    assert file.tell() == 0


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        pytest.param(documents.text_pdf("Hello"), "a.txt", PDF, id="a PDF named as a text"),
        pytest.param(b"junk\n" * 200 + documents.text_pdf("Hello"), "a", PDF, id="readable junk before the PDF"),
        pytest.param(b"\0\xff" * 500 + documents.text_pdf("Hello"), "a", PDF, id="binary junk before the PDF"),
        pytest.param(documents.damaged_pdf(), "a.pdf", PDF, id="half a PDF"),
        pytest.param(b"Hello", "a.pdf", TEXT, id="a text named as a PDF"),
        pytest.param(b"A PDF begins with %PDF-1.7 and so on.", "a.txt", TEXT, id="a text that speaks of PDF"),
        pytest.param(b"<div align=center>Longhaul</div>\n\n# Use", "README.md", MARKDOWN, id="Markdown with tags"),
        pytest.param(b"# Title", "README.MD", MARKDOWN, id="suffix in capitals"),
        pytest.param(b"# Title", "README", TEXT, id="no suffix"),
        pytest.param("Größe: 3 µm".encode("cp1252"), "a.txt", TEXT, id="not UTF-8"),
        pytest.param("日本".encode("shift_jis"), "a.txt", TEXT, id="Shift JIS"),
        pytest.param("Hello".encode("utf-16"), "a.txt", TEXT, id="UTF-16, half of it NUL"),
        pytest.param(codecs.BOM_UTF32_LE + "Hi".encode("utf-32-le"), "a.txt", TEXT, id="UTF-32"),
        pytest.param(codecs.BOM_UTF8 + b"Hello", "a.txt", TEXT, id="UTF-8 with a mark"),
        pytest.param(documents_text.CHINESE.encode("gb18030"), "a.txt", TEXT, id="GB18030"),
        pytest.param("Grüße, 世界".encode("utf-16-le"), "a.txt", TEXT, id="UTF-16 without a mark"),
        pytest.param(documents_text.CHINESE.encode("utf-16-be"), "a.txt", TEXT, id="UTF-16, the big end first"),
        pytest.param(documents_office.word(""), "a.pdf", DOCX, id="a DOCX named as a PDF"),
        pytest.param(documents_office.word("", more=LONG), "a", DOCX, id="a DOCX with its text far from its ends"),
        pytest.param(
            documents_office.locked(documents_office.word(""), "secret"), "a.docx", LOCKED_OFFICE, id="locked"
        ),
        pytest.param(b"\n<!-- saved -->\n<!DOCTYPE html><p>Hello", "a.pdf", HTML, id="HTML"),
        pytest.param(b"<?xml version='1.0'?><html><body>Hello", "a.txt", HTML, id="XHTML"),
        pytest.param("<html><body>Hello".encode("utf-16"), "a", HTML, id="HTML in UTF-16"),
        pytest.param(documents_text.plane_1_page(), "a.html", HTML, id="HTML in UTF-16 without a mark"),
        pytest.param(b"<p>Hello <b>you", "a.html", HTML, id="a fragment named as a page"),
        pytest.param(b"<p>Hello <b>you", "a.txt", TEXT, id="a fragment named as a text"),
        pytest.param(b"Hello", "a.html", TEXT, id="no tag at all"),
        pytest.param(b"one\ftwo\ttabs\x1b[0m", "a.txt", TEXT, id="white space controls"),
    ],
)
def test_the_content_decides_what_a_file_is(data: bytes, name: str, media_type: str) -> None:
    assert look(data, name).media_type == media_type


@pytest.mark.parametrize(
    ("data", "seems"),
    [
        pytest.param(documents.png(), "a PNG image", id="PNG"),
        pytest.param(b"\xff\xd8\xff\xe0" + bytes(20), "a JPEG image", id="JPEG"),
        pytest.param(documents.zipped(), "a ZIP archive", id="ZIP"),
        pytest.param(documents.zipped("%PDF-1.7"), "a ZIP archive", id="ZIP with a PDF in it"),
        pytest.param(documents.zipped("word/document.xml"), "a ZIP archive", id="ZIP with a folder of that name"),
        pytest.param(b"PK\5\6" + bytes(18), "a ZIP archive", id="empty ZIP"),
        pytest.param(b"Hello" * 99_999 + b"\0", "a binary file of an unknown sort", id="one NUL far behind"),
        pytest.param(bytes(range(1, 256)), "a binary file of an unknown sort", id="many controls"),
    ],
)
def test_another_sort_of_file_is_refused_with_what_it_seems_to_be(data: bytes, seems: str) -> None:
    with pytest.raises(UnsupportedFile) as caught:
        look(data, "thing.pdf")
    assert str(caught.value) == f"“thing.pdf” seems to be {seems}. {ACCEPTED}"
    assert (caught.value.seems, caught.value.field) == (seems, "file")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(documents_office.workbook(), f"an Excel workbook. {ACCEPTED} Save it as PDF.", id="XLSX"),
        pytest.param(
            documents_office.package({"[Content_Types].xml": "", "ppt/presentation.xml": ""}),
            f"a PowerPoint presentation. {ACCEPTED} Save it as PDF.",
            id="PPTX",
        ),
        pytest.param(
            documents_office.package({"mimetype": "application/vnd.oasis.opendocument.text"}, compressed=False),
            f"an OpenDocument file. {ACCEPTED} Save it as DOCX or PDF.",
            id="ODT",
        ),
        pytest.param(rb"{\rtf1 Hello}", f"an RTF document. {ACCEPTED} Save it as DOCX or PDF.", id="RTF"),
        pytest.param(documents.ole(), f"an old Office document (.doc). {ACCEPTED} Save it as DOCX or PDF.", id="DOC"),
        pytest.param(
            documents_office.word("", more=LONG)[:9000],
            f"a damaged Office document or ZIP archive, whose end is missing. {ACCEPTED}",
            id="half a DOCX",
        ),
    ],
)
def test_what_is_nearly_right_is_refused_with_advice(data: bytes, sentence: str) -> None:
    with pytest.raises(UnsupportedFile) as caught:
        look(data, "thing.docx")
    assert str(caught.value) == f"“thing.docx” seems to be {sentence}"


def test_a_page_that_begins_with_many_comments_is_looked_at_in_no_time() -> None:
    began = time.monotonic()
    assert look(b"<!---->" * 580 + b"Hello").media_type == TEXT
    assert look(b"<!---->" * 500 + b"<html>Hello").media_type == HTML
    assert time.monotonic() - began < 15


def test_an_archive_of_very_many_files_is_looked_at_in_part() -> None:
    data = documents.zipped(*(f"folder/file{number}" for number in range(30_000)))
    began = time.monotonic()
    with pytest.raises(UnsupportedFile, match="a ZIP archive"):
        look(data)
    assert time.monotonic() - began < 15


@given(st.binary(max_size=200))
def test_whatever_follows_the_beginning_of_an_archive_is_refused(rest: bytes) -> None:
    with pytest.raises(UnsupportedFile):
        look(b"PK\x03\x04" + rest)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(EmptyFile, match=r"“a\.pdf” is empty") as caught:
        look(b"", "a.pdf")
    assert caught.value.field == "file"


def test_a_file_of_the_limit_is_taken_and_one_byte_more_is_not(settings: Settings) -> None:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 100
    assert look(b"a" * 100).size == 100
    with pytest.raises(FileTooLarge, match="100 bytes at most") as caught:
        look(b"a" * 101)
    assert (caught.value.limit, caught.value.field) == (100, "file")


def test_a_limit_in_megabytes_is_named_in_megabytes() -> None:
    assert "may have 50 MB at most" in str(FileTooLarge("a", limit=50 * 1024 * 1024))


def test_a_file_far_over_the_limit_is_not_read_to_its_end(settings: Settings) -> None:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 10
    file = io.BytesIO(b"a" * 5_000_000)
    with pytest.raises(FileTooLarge):
        inspect(file, name="a.txt")
    assert file.tell() < 1_000_000
