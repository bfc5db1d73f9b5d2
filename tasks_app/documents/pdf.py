"""Text of a PDF, page by page, through pdfium. In the child only: a broken file can crash pdfium."""

import os
import unicodedata
from contextlib import closing
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
from django.conf import settings
from pypdfium2 import raw

from tasks_app.text import clean

from .errors import DamagedPdf, DocumentError, NoPages, NoText, PasswordNeeded, ProtectedPdf, TooManyPages
from .pages import UNREADABLE, Page, page_of

SCANNED = "No text was found: it seems to be scanned, page images only. Run text recognition (OCR) over it first."

# Ligatures become their letters ("ﬁ" -> "fi"), so that words are found and the model knows them. The long s is there
# because pdfium takes "ﬅ" apart into it. Nothing else is normalised: NFKC would turn "x²" into "x2".
LETTERS = {ord(sign): unicodedata.normalize("NFKC", sign) for sign in "ﬀﬁﬂﬃﬄﬅﬆſ"}
# pdfium joins a word that was divided at the end of a line, and leaves this where the hyphen was.
JOINED = {0x02: None}
READABLE = LETTERS | JOINED


def pdf_pages(path: Path) -> list[Page]:
    """Raises PasswordNeeded, ProtectedPdf, DamagedPdf, NoPages, TooManyPages and NoText."""
    with closing(_open(path)) as document:
        count, limit = len(document), settings.LONGHAUL_MAX_PAGES
        if count > limit:
            raise TooManyPages(pages=count, limit=limit)
        pages = [_page(document, number) for number in range(1, count + 1)]
    _refuse_without_text(pages)
    return pages


def _open(path: Path) -> pypdfium2.PdfDocument:
    path.stat()  # A file that is not there is no damaged one, as pdfium would have it.
    # pypdfium2 itself takes a document without pages for one that failed to load, and then reports the reason of the
    # failure before it, in a process that has had one: PDFium never clears it.
    handle = raw.FPDF_LoadDocument(os.fsencode(path) + b"\0", None)
    if not handle:
        raise _reason(raw.FPDF_GetLastError())
    document = pypdfium2.PdfDocument(handle)
    if not len(document):
        document.close()
        raise NoPages
    return document


def _reason(err_code: int) -> DocumentError:
    match err_code:
        case raw.FPDF_ERR_PASSWORD:
            return PasswordNeeded()
        case raw.FPDF_ERR_SECURITY:
            return ProtectedPdf()
        case _:
            return DamagedPdf()


def _page(document: pypdfium2.PdfDocument, number: int) -> Page:
    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as textpage:
            # Not get_text_range: it knows only characters of 16 bits. Half a surrogate pair passes here, for clean().
            text = textpage.get_text_bounded(errors="surrogatepass")
    except pypdfium2.PdfiumError:
        return Page(number, "", UNREADABLE)
    return page_of(number, clean(text).replace("\r\n", "\n").translate(READABLE))


def _refuse_without_text(pages: list[Page]) -> None:
    if any(page.text for page in pages):
        return
    if any(page.problem == UNREADABLE for page in pages):
        raise DamagedPdf
    raise NoText(SCANNED, pages=len(pages))
