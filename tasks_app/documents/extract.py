"""The text of a stored document, page by page. Runs in the child: a file can hang or crash its parser."""

from collections.abc import Callable
from pathlib import Path

from .formats import MARKDOWN, PDF, TEXT
from .pages import Page
from .pdf import pdf_pages
from .plain import plain_pages

READERS: dict[str, Callable[[Path], list[Page]]] = {PDF: pdf_pages, TEXT: plain_pages, MARKDOWN: plain_pages}


def extract(path: Path, *, media_type: str) -> list[Page]:
    """All pages in order, at least one of them with text; `media_type` as `inspect` found it.

    Raises a DocumentError that says what is wrong with the file.
    """
    return READERS[media_type](path)
