"""Text of a plain text or Markdown file. A form feed ends a page."""

from pathlib import Path

from tasks_app.text import clean

from .decode import decode
from .limits import ReadLimits
from .pages import Extracted
from .paging import chosen_pages
from .ranges import Ranges

BLANK = "No text was found: the file holds nothing but white space."


def read(path: Path, limits: ReadLimits, ranges: Ranges, _password: str) -> Extracted:
    """Line ends stay as they are. Without a form feed it knows no pages.

    Raises UnknownEncoding and what `chosen_pages` does.
    """
    texts = clean(decode(path.read_bytes())).removesuffix("\f").split("\f")
    pages = chosen_pages(texts, ranges=ranges, limits=limits, blank=BLANK)
    return Extracted("", pages, paged=len(texts) > 1, markdown=False)
