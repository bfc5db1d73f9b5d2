"""What a PDF says about itself: its title, and the section in which each page lies."""

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import raw

from tasks_app.text import one_line, shorten

MAX_CHARACTERS = 200
MAX_ENTRIES = 10_000


def title(document: pypdfium2.PdfDocument) -> str:
    """ "" without one."""
    return _words(lambda buffer, size: int(raw.FPDF_GetMetaText(document, b"Title\0", buffer, size)))


def headings(document: pypdfium2.PdfDocument, numbers: list[int]) -> list[str]:
    """For each page of `numbers`: the first entry of the outline that points at it, else the last one before it."""
    # Of several entries for one page the first stays first.
    entries = sorted(_entries(document), key=lambda entry: entry[0])
    places = [number for number, _ in entries]
    return [_heading(entries, places, number) for number in numbers]


def _heading(entries: list[tuple[int, str]], places: list[int], number: int) -> str:
    after = bisect_right(places, number)
    before = bisect_right(places, number - 1)
    place = before if after > before else after - 1
    return entries[place][1] if place >= 0 else ""


def _entries(document: pypdfium2.PdfDocument) -> Iterator[tuple[int, str]]:
    """Page number and title of each bookmark that has both."""
    for bookmark in islice(document.get_toc(), MAX_ENTRIES):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        words = _title_of(bookmark)
        if index is not None and words:
            yield index + 1, words


def _title_of(bookmark: pypdfium2.PdfBookmark) -> str:
    return _words(lambda buffer, size: int(raw.FPDFBookmark_GetTitle(bookmark, buffer, size)))


def _words(read: Callable[[Any, int], int]) -> str:
    """What `read` writes as UTF-16 with a NUL at its end, on one line. pypdfium2's own stumbles over half a pair."""
    size = read(None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(buffer, size)
    return shorten(one_line(buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "surrogatepass")), MAX_CHARACTERS)
