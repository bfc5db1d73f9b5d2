"""Pages become parts: what goes into one model call each."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .cuts import cut
from .pages import Page

Unit = Literal["page", "chunk"]

# Between two pages where parts may reach over the border.
PAGE_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """`index` counts from 0 without a gap; the pages from 1, both ends included. `asdict` of it is JSON.

    `text` keeps the white space at its ends, so that joined parts give the document back: strip it for a prompt.
    """

    index: int
    first_page: int
    last_page: int
    text: str


def split(pages: list[Page], *, unit: Unit, max_characters: int, markdown: bool = False) -> list[Part]:
    """The parts in the document's order, the same ones for the same pages; pages without text give none.

    "page": a part each, or several for a page longer than `max_characters`; joined they are the page's text.
    "chunk": text packed up to `max_characters` over page borders; joined they are the texts with PAGE_BREAK between.
    Sizes are code points, counted without the white space at a part's ends.
    """
    written = [page for page in pages if page.text.strip()]
    if unit == "page":
        parts = [part for page in written for part in _parts([page], max_characters, markdown)]
    else:
        parts = list(_parts(written, max_characters, markdown)) if written else []
    return [replace(part, index=index) for index, part in enumerate(parts)]


def _parts(pages: list[Page], max_characters: int, markdown: bool) -> Iterator[Part]:
    starts, length = [], 0
    for page in pages:
        starts.append(length)
        length += len(page.text) + len(PAGE_BREAK)
    text = PAGE_BREAK.join(page.text for page in pages)
    at = 0
    for index, piece in enumerate(cut(text, max_characters=max_characters, markdown=markdown)):
        # By the first and the last visible character: a page break at an end belongs to no page.
        first = at + len(piece) - len(piece.lstrip())
        last = at + len(piece.rstrip()) - 1
        at += len(piece)
        yield Part(index, _page_at(first, starts, pages), _page_at(last, starts, pages), piece)


def _page_at(position: int, starts: list[int], pages: list[Page]) -> int:
    return pages[bisect_right(starts, position) - 1].number
