"""Word documents that are none, are damaged, or are made to hurt: one clear sentence each, and bounded."""

import time
import tracemalloc
import zipfile
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from tasks_app.documents.errors import DamagedWord, DocumentError, NotWord, ReaderOutOfMemory, UnpacksTooLarge
from tasks_app.documents.formats import DOCX
from tasks_app.documents.reading import read_document
from tests.support import documents, documents_office
from tests.support.documents_office import p, package, word

from .reading import LIMITS, read

GOOD = word(p("Hello") * 50)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(documents.zipped(), "it seems to be an archive of other files", id="another archive"),
        pytest.param(documents_office.workbook(), "it seems to be an Excel workbook", id="a workbook"),
        pytest.param(
            word("", more={"word/document.xml": b"<html/>"}), "it seems to be an archive of other files", id="other XML"
        ),
        pytest.param(
            word("", more={"word/document.xml": b"<!DOCTYPE d [<!ENTITY a 'b'>]><d/>"}),
            "entities of its own",
            id="entities of its own",
        ),
        pytest.param(
            word("", more={"word/document.xml": b"<!DOCTYPE d SYSTEM 'file:///etc/passwd'><d/>"}),
            "entities of its own",
            id="an outer DTD",
        ),
    ],
)
def test_what_is_no_word_document_is_refused_with_what_it_seems_to_be(
    tmp_path: Path, data: bytes, sentence: str
) -> None:
    with pytest.raises(NotWord) as caught:
        read(tmp_path, data, DOCX)
    assert str(caught.value).startswith("This is not a Word document that can be read")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(GOOD[: len(GOOD) // 2], id="half of one"),
        pytest.param(b"Hello", id="no archive"),
        pytest.param(word("", more={"word/document.xml": b"<w:document"}), id="broken XML"),
        pytest.param(word("", more={"word/document.xml": b""}), id="an empty part"),
        pytest.param(documents_office.entity_bomb(), id="entities that grow to a gigabyte"),
        pytest.param(documents.docx(), id="nothing in its parts"),
        pytest.param(word("").replace(b"word/document.xml", b"word/documenT.xml", 1), id="two names for one entry"),
        pytest.param(word("<w:p>" * 300 + "</w:p>" * 300), id="elements in each other 300 deep"),
    ],
)
def test_a_damaged_document_is_named_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(DamagedWord, match="damaged"):
        read(tmp_path, data, DOCX)


def test_a_document_in_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    data = bytearray(GOOD)
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        position = data.find(signature)
        while position >= 0:
            data[position + at] |= 1
            position = data.find(signature, position + 4)
    with pytest.raises(NotWord, match="an archive with a password"):
        read(tmp_path, bytes(data), DOCX)


def test_entries_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    """The trick of the bombs that no size betrays: many entries, one stretch of data."""
    data = bytearray(GOOD)
    names = [info.filename for info in zipfile.ZipFile(BytesIO(GOOD)).infolist()]
    at = data.rfind(b"word/document.xml") - 46
    data[at + 42 : at + 46] = (0).to_bytes(4, "little")
    assert names[0] != "word/document.xml"
    with pytest.raises(DamagedWord):
        read(tmp_path, bytes(data), DOCX)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(documents_office.zip_bomb(), UnpacksTooLarge, id="honest"),
        pytest.param(documents_office.lying_bomb(), DamagedWord, id="its directory lies"),
    ],
)
def test_a_document_that_unpacks_to_hundreds_of_megabytes_is_refused_in_a_few(
    tmp_path: Path, data: bytes, error: type[DocumentError]
) -> None:
    tracemalloc.start()
    with pytest.raises(error):
        read(tmp_path, data, DOCX, limits=replace(LIMITS, memory_bytes=160 * 1024**2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 1024**2


def test_the_limit_is_named_and_holds_for_all_parts_together(tmp_path: Path) -> None:
    megabyte = p("a" * 1024**2)
    limits = replace(LIMITS, memory_bytes=16 * 3 * 1024**2)
    assert read(tmp_path, word(megabyte * 2), DOCX, limits=limits)
    with pytest.raises(UnpacksTooLarge, match="more than 3 MB"):
        read(tmp_path, word(megabyte, footnotes=megabyte, endnotes=megabyte), DOCX, limits=limits)


def test_pictures_of_any_size_are_not_unpacked(tmp_path: Path) -> None:
    data = word(p("Hello"), more={"word/media/image.bmp": bytes(20 * 1024**2)})
    limits = replace(LIMITS, memory_bytes=16 * 1024**2)
    assert read(tmp_path, data, DOCX, limits=limits).pages[0].text == "Hello"


def test_an_archive_of_very_many_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotWord, match="very many files"):
        read(tmp_path, package({f"{number}": "" for number in range(20_001)}), DOCX)


def test_a_part_that_refers_to_itself_or_to_nothing_is_read(tmp_path: Path) -> None:
    used = '<w:sectPr><w:headerReference r:id="h0"/><w:headerReference r:id="nothing"/></w:sectPr>'
    loop = f"{p('head')}{used}"
    assert read(tmp_path, word(p("body") + used, headers=(loop,)), DOCX).pages[0].text == "head\n\nbody"


def test_cells_that_claim_to_reach_over_millions_stay_a_small_table(tmp_path: Path) -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="99999999"/></w:tcPr>{p("cell")}</w:tc>'
    text = read(tmp_path, word(f"<w:tbl>{f'<w:tr>{cell}</w:tr>' * 500}</w:tbl>"), DOCX).pages[0].text
    assert text.count("cell") == 500
    assert len(text) < 100_000


def test_millions_of_elements_in_a_few_kilobytes_are_told_to_need_too_much_memory(
    tmp_path: Path, settings: Settings
) -> None:
    settings.LONGHAUL_READER_MEMORY_BYTES = 512 * 1024**2
    path = tmp_path / "document"
    path.write_bytes(word("<w:p/>" * 5_000_000))
    with pytest.raises(ReaderOutOfMemory, match="within 512 MB"):
        read_document(path, media_type=DOCX, workdir=tmp_path, seconds=60, keep_going=lambda: None)


def test_a_long_document_is_read_in_time(tmp_path: Path) -> None:
    began = time.monotonic()
    text = read(tmp_path, word(p("word " * 100) * 5000), DOCX).pages[0].text
    assert text.count("word") == 500_000
    assert time.monotonic() - began < 90


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_one_changed_byte_gives_the_text_or_a_document_error(tmp_path: Path, position: int, value: int) -> None:
    data = bytearray(GOOD)
    data[position] = value
    with suppress(DocumentError):
        assert read(tmp_path, bytes(data), DOCX).pages
