"""Text of a PDF, page by page, through pdfium. In the reader program only: a broken file can crash pdfium."""

import os
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import raw

from tasks_app.text import clean

from .errors import (
    DamagedPdf,
    DocumentError,
    NoPages,
    PasswordNeeded,
    ProtectedPdf,
    TooMuchText,
)
from .limits import ReadLimits
from .pages import Extracted, Page
from .paging import chosen_numbers
from .pdf_faults import UNREADABLE, explained, fault_of, refuse_without_text
from .pdf_outline import headings, title
from .ranges import Ranges

# pdfium takes the ligature "ﬅ" apart into "ſt", and a long s alone is no letter that anybody searches for.
LONG_S = {ord("ſ"): unicodedata.normalize("NFKC", "ſ")}
# pdfium joins a word that was divided at the end of a line, and leaves this where the hyphen was.
JOINED = {0x02: None}
READABLE = LONG_S | JOINED


def read(path: Path, limits: ReadLimits, ranges: Ranges, password: str) -> Extracted:
    """Raises PasswordNeeded, ProtectedPdf, DamagedPdf, NoPages, NotAmongPages, TooManyPages, TooMuchText and NoText."""
    with closing(_open(path, password)) as document:
        numbers = chosen_numbers(ranges, count=len(document), limit=limits.max_pages)
        pages = list(_pages(document, numbers, limit=limits.max_characters))
        found = headings(document, numbers)
        name = title(document)
    pages = explained(pages, path=path, password=password)
    refuse_without_text(pages)
    pages = [replace(page, heading=heading) for page, heading in zip(pages, found, strict=True)]
    return Extracted(name, pages, paged=True, markdown=False)


def _open(path: Path, password: str) -> pypdfium2.PdfDocument:
    path.stat()  # A file that is not there is no damaged one, as pdfium would have it.
    # A password that somebody gives for a file that needs none is no obstacle either.
    handle = _load(path, password) or (_load(path, "") if password else None)
    if not handle:
        raise _reason(raw.FPDF_GetLastError(), wrong=bool(password))
    document = pypdfium2.PdfDocument(handle)
    if not len(document):
        document.close()
        raise NoPages
    return document


def _load(path: Path, password: str) -> Any:
    # pypdfium2 itself takes a document without pages for one that failed to load, and then reports the reason of the
    # failure before it, in a process that has had one: PDFium never clears it.
    return raw.FPDF_LoadDocument(os.fsencode(path) + b"\0", password.encode(errors="replace") + b"\0")


def _reason(err_code: int, *, wrong: bool) -> DocumentError:
    match err_code:
        case raw.FPDF_ERR_PASSWORD:
            return PasswordNeeded("PDF", wrong=wrong)
        case raw.FPDF_ERR_SECURITY:
            return ProtectedPdf()
        case _:
            return DamagedPdf()


def _pages(document: pypdfium2.PdfDocument, numbers: list[int], *, limit: int) -> Iterator[Page]:
    """`limit`: characters in all."""
    left = limit
    for number in numbers:
        page = _page(document, number)
        left -= len(page.text)
        if left < 0:
            raise TooMuchText(limit=limit)
        yield page


def _page(document: pypdfium2.PdfDocument, number: int) -> Page:
    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as textpage:
            # Not get_text_range: it knows only characters of 16 bits. Half a surrogate pair passes here, for clean().
            text = textpage.get_text_bounded(errors="surrogatepass")
            readable = clean(text).replace("\r\n", "\n").translate(READABLE)
            return Page(number, readable) if readable.strip() else Page(number, "", fault_of(page))
    except pypdfium2.PdfiumError:
        return Page(number, "", UNREADABLE)
