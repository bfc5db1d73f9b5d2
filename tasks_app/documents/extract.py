"""The text of a document. Runs inside the reader program only: a file can hang or crash its parser."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from .formats import DOCX, HTML, LOCKED_OFFICE, MARKDOWN, PDF, TEXT
from .limits import ReadLimits
from .pages import Extracted
from .ranges import Ranges

type Reader = Callable[[Path, ReadLimits, Ranges, str], Extracted]

# Modules beside this one, each with a function `read` of the type Reader. Only the one in need is loaded.
READERS = {PDF: "pdf", TEXT: "plain", MARKDOWN: "plain", HTML: "html", DOCX: "docx", LOCKED_OFFICE: "locked"}


def extract(path: Path, *, media_type: str, ranges: Ranges, password: str, limits: ReadLimits) -> Extracted:
    """The pages asked for, at least one of them with text; `media_type` as `inspect` found it.

    Raises a DocumentError that says what is wrong with the file, and whatever a parser's library raises.
    """
    read: Reader = import_module(f"{__package__}.{READERS[media_type]}").read
    extracted = read(path, limits, ranges, password)
    return replace(extracted, markdown=extracted.markdown or media_type == MARKDOWN)
