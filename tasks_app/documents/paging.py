"""The pages that are asked for, within the limits."""

from itertools import chain

from .errors import NotAmongPages, NoText, TooManyPages, TooMuchText
from .limits import ReadLimits
from .pages import Page, page_of
from .ranges import Ranges, chosen


def chosen_numbers(ranges: Ranges, *, count: int, limit: int) -> list[int]:
    """Numbers of the pages to be read, from 1, `limit` of them at most. Raises NotAmongPages and TooManyPages."""
    spans = chosen(ranges, count=count)
    if not spans:
        raise NotAmongPages(count=count)
    if sum(map(len, spans)) > limit:
        raise TooManyPages(pages=count, limit=limit)
    return list(chain.from_iterable(spans))


def chosen_pages(texts: list[str], *, ranges: Ranges, limits: ReadLimits, blank: str) -> list[Page]:
    """Pages numbered from 1, of `texts` one a page. Of a single text, `ranges` choose nothing.

    Raises NotAmongPages, TooManyPages, TooMuchText, and NoText with the sentence `blank`.
    """
    numbers = chosen_numbers(ranges if len(texts) > 1 else [], count=len(texts), limit=limits.max_pages)
    pages = [page_of(number, texts[number - 1]) for number in numbers]
    if sum(len(page.text) for page in pages) > limits.max_characters:
        raise TooMuchText(limit=limits.max_characters)
    if not any(page.text for page in pages):
        raise NoText(blank, pages=len(pages))
    return pages
