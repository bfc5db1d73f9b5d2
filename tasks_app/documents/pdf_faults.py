"""Why a page of a PDF gives no text, in words, and when that refuses the whole document."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import raw

from .errors import DamagedPdf, NoText
from .pages import Page

SCANNED = "no text on this page: it seems to be scanned"
DRAWN = "no text on this page: it shows drawings only"
EMPTY = "this page is empty"
UNREADABLE = "this page could not be read"

# Said of several pages at once.
OF_PAGES = {SCANNED: "scanned, it seems: page images only", DRAWN: "drawings only", EMPTY: "empty"}
RECOGNISE = " Run text recognition (OCR) over it first."

# A page may show millions of objects; what it is shows early.
LOOKED_AT = 2000
NAMED_SPANS = 8


def fault_of(page: pypdfium2.PdfPage) -> str:
    """Of a page without text. EMPTY is also what pdfium shows of a content that it cannot decode."""
    kinds = {found.type for found in islice(page.get_objects(max_depth=3), LOOKED_AT)}
    if raw.FPDF_PAGEOBJ_IMAGE in kinds:
        return SCANNED
    return DRAWN if kinds else EMPTY


def explained(pages: list[Page], *, path: Path, password: str) -> list[Page]:
    """`pages`, with the fault of the content named where pdfium shows nothing and says nothing."""
    dark = [page.number for page in pages if page.problem in {EMPTY, UNREADABLE}]
    if not dark:
        return pages
    # Here, because it doubles the time that the reader needs to start, and few documents need it.
    from .pdf_content import content_faults

    faults = content_faults(path, dark, password=password)
    return [replace(page, problem=faults.get(page.number, page.problem)) for page in pages]


def refuse_without_text(pages: list[Page]) -> None:
    """Raises DamagedPdf or NoText, which names the pages, when none of `pages` has text."""
    if any(page.text for page in pages):
        return
    if all(page.problem == UNREADABLE for page in pages):
        raise DamagedPdf
    problems = list(dict.fromkeys(page.problem or "" for page in pages))
    told = [f"{_named(pages, problem)}: {OF_PAGES.get(problem, problem)}." for problem in problems[:NAMED_SPANS]]
    advice = RECOGNISE if {SCANNED, DRAWN} & set(problems) else ""
    raise NoText(f"No text was found. {' '.join(told)}{advice}", pages=len(pages))


def _named(pages: list[Page], problem: str) -> str:
    """ "Pages 1–3, 5": those with this problem."""
    numbers = [page.number for page in pages if page.problem == problem]
    spans = list(islice(_spans(numbers), NAMED_SPANS + 1))
    listed = ", ".join(spans[:NAMED_SPANS]) + (" and others" if len(spans) > NAMED_SPANS else "")
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {listed}"


def _spans(numbers: list[int]) -> Iterator[str]:
    for _, group in groupby(enumerate(numbers), lambda place: place[1] - place[0]):
        first, *more = [number for _, number in group]
        yield f"{first}–{more[-1]}" if more else f"{first}"
