"""The pages that are asked for, of a document whose whole text is at hand."""

from itertools import chain

from .errors import NotAmongPages, NoText, TooManyPages, TooMuchText
from .limits import ReadLimits
from .pages import Page, page_of
from .ranges import Ranges, chosen


def chosen_pages(texts: list[str], *, ranges: Ranges, limits: ReadLimits, blank: str) -> list[Page]:
    """Pages numbered from 1, of `texts` one a page. Of a single text, `ranges` choose nothing.

    Raises NotAmongPages, TooManyPages, TooMuchText, and NoText with the sentence `blank`.
    """
    spans = chosen(ranges if len(texts) > 1 else [], count=len(texts))
    if not spans:
        raise NotAmongPages(count=len(texts))
    if sum(map(len, spans)) > limits.max_pages:
        raise TooManyPages(pages=len(texts), limit=limits.max_pages)
    pages = [page_of(number, texts[number - 1]) for number in chain.from_iterable(spans)]
    if sum(len(page.text) for page in pages) > limits.max_characters:
        raise TooMuchText(limit=limits.max_characters)
    if not any(page.text for page in pages):
        raise NoText(blank, pages=len(pages))
    return pages
