"""Text of a plain text or Markdown file. A form feed ends a page."""

from pathlib import Path

from charset_normalizer import from_bytes
from django.conf import settings

from tasks_app.text import clean

from .errors import NoText, TooManyPages, UnknownEncoding
from .formats import encoding_by_mark
from .pages import Page, page_of

BLANK = "No text was found: the file holds nothing but white space."


def plain_pages(path: Path) -> list[Page]:
    """Raises UnknownEncoding, TooManyPages and NoText. Line ends stay as they are."""
    texts = clean(decode(path.read_bytes())).removesuffix("\f").split("\f")
    limit = settings.LONGHAUL_MAX_PAGES
    if len(texts) > limit:
        raise TooManyPages(pages=len(texts), limit=limit)
    pages = [page_of(number, text) for number, text in enumerate(texts, start=1)]
    if not any(page.text for page in pages):
        raise NoText(BLANK, pages=len(pages))
    return pages


def decode(data: bytes) -> str:
    """By the byte order mark, else as UTF-8 if it is that, else by charset-normalizer's best guess."""
    if encoding := encoding_by_mark(data):
        return data.decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        guess = from_bytes(data).best()
    if guess is None:
        raise UnknownEncoding
    return str(guess)
