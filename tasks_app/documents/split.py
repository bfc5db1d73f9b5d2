"""Pages become parts: what goes into one model call each."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from .cuts import Size, cut
from .errors import NotAmongPages
from .headings import headings
from .pages import Extracted, Page
from .ranges import Ranges, within

Unit = Literal["page", "chunk"]

# Between two pages where parts may reach over the border.
PAGE_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """`asdict` of it is JSON.

    `index` counts from 0 without a gap; the pages from 1, both ends included, None where the document has none.
    `text` keeps the white space at its ends, so that joined parts give the document back: strip it for a prompt.
    `heading`: the nearest one at the part's beginning or before it, "" without.
    """

    index: int
    first_page: int | None
    last_page: int | None
    text: str
    heading: str


def split(extracted: Extracted, *, unit: Unit, limit: int, size: Size, ranges: Ranges | None = None) -> list[Part]:
    """The parts in the document's order, the same ones for the same pages; pages without text give none.

    "page": a part each, or several for a page larger than `limit`; joined they are the page's text.
    "chunk": text packed up to `limit` over page borders; joined they are the texts with PAGE_BREAK between.
    `size(text)`: tokens, as `cut` wants it; `limit`: tokens, counted without the white space at a part's ends.
    `ranges` choose among the parts, by number from 1, where there are no pages to choose from.
    Raises NotAmongPages when they choose none, and what `size` raises.
    """
    whole = _Whole(extracted)
    parts = [
        whole.part(begin, end)
        for stretch in whole.stretches(unit)
        for begin, end in _cut(whole.text, *stretch, limit=limit, size=size, markdown=extracted.markdown)
    ]
    if not extracted.paged and ranges:
        parts = _chosen(parts, ranges)
    return [replace(part, index=index) for index, part in enumerate(parts)]


class _Whole:
    """All pages with text, as one text."""

    def __init__(self, extracted: Extracted) -> None:
        self.pages = [page for page in extracted.pages if page.text.strip()]
        self.paged = extracted.paged
        self.text = PAGE_BREAK.join(page.text for page in self.pages)
        lengths = (len(page.text) + len(PAGE_BREAK) for page in self.pages)
        self.starts = list(accumulate(lengths, initial=0))[:-1]
        self.headings = list(headings(self.text)) if extracted.markdown else []

    def stretches(self, unit: Unit) -> list[tuple[int, int]]:
        """Begin and end of each text that is cut by itself."""
        if unit == "page":
            return [(start, start + len(page.text)) for start, page in zip(self.starts, self.pages, strict=True)]
        return [(0, len(self.text))] if self.text else []

    def part(self, begin: int, end: int) -> Part:
        piece = self.text[begin:end]
        # By the first and the last visible character: a page break at an end belongs to no page.
        first = begin + len(piece) - len(piece.lstrip())
        last = begin + len(piece.rstrip()) - 1
        return Part(0, self._number_at(first), self._number_at(last), piece, self._heading_at(first))

    def _page_at(self, position: int) -> Page:
        return self.pages[bisect_right(self.starts, position) - 1]

    def _number_at(self, position: int) -> int | None:
        return self._page_at(position).number if self.paged else None

    def _heading_at(self, position: int) -> str:
        place = bisect_right(self.headings, position, key=lambda heading: heading[0])
        return self._page_at(position).heading or (self.headings[place - 1][1] if place else "")


def _cut(text: str, begin: int, end: int, *, limit: int, size: Size, markdown: bool) -> Iterator[tuple[int, int]]:
    """Begin and end of each piece of `text[begin:end]`."""
    for piece in cut(text[begin:end], limit=limit, size=size, markdown=markdown):
        yield begin, begin + len(piece)
        begin += len(piece)


def _chosen(parts: list[Part], ranges: Ranges) -> list[Part]:
    chosen = [part for number, part in enumerate(parts, start=1) if within(ranges, number)]
    if parts and not chosen:
        raise NotAmongPages(count=len(parts), what="parts")
    return chosen
