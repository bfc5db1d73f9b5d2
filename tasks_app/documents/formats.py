"""Which sort of file some bytes are, by content: the table of what is accepted, and of what is only recognised."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

PDF = "application/pdf"
TEXT = "text/plain"
MARKDOWN = "text/markdown"

# In the order in which they are named to people.
ACCEPTED = {PDF: "PDF", TEXT: "plain text", MARKDOWN: "Markdown"}

# How much of a file's beginning and end `recognise` wants, in bytes.
HEAD_BYTES = 4096
TAIL_BYTES = 2048
# Readers open a PDF whose header comes after this much of something else.
PDF_JUNK_BYTES = 1024

# UTF-32 first: its little-endian mark begins with that of UTF-16.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

HTML = re.compile(r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.S)
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Sample:
    """Of one file: its first HEAD_BYTES, its last TAIL_BYTES, whether any NUL is in it, and its name."""

    head: bytes
    tail: bytes
    has_nul: bool
    name: str


@dataclass(frozen=True, slots=True)
class Format:
    """`media_type` as in ACCEPTED or of our own making; `words`: for people, "a PNG image"."""

    media_type: str
    words: str
    matches: Callable[[Sample], bool]


def encoding_by_mark(data: bytes) -> str | None:
    """The encoding that the byte order mark at the beginning of `data` names, if there is one."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)


def begins(*signatures: bytes) -> Callable[[Sample], bool]:
    return lambda sample: sample.head.startswith(signatures)


def is_docx(sample: Sample) -> bool:
    return sample.head.startswith(b"PK\x03\x04") and b"word/" in sample.head + sample.tail


def is_text(sample: Sample) -> bool:
    """No NUL anywhere and hardly a control character at the beginning; a byte order mark settles it."""
    if encoding_by_mark(sample.head):
        return True
    return not sample.has_nul and len(CONTROLS.findall(sample.head)) * 100 <= len(sample.head)


def is_html(sample: Sample) -> bool:
    encoding = encoding_by_mark(sample.head) or "latin-1"
    return is_text(sample) and HTML.match(sample.head.decode(encoding, "ignore")) is not None


def is_pdf_after_junk(sample: Sample) -> bool:
    """A text that speaks of PDF headers has no PDF's end."""
    found = b"%PDF-" in sample.head[: PDF_JUNK_BYTES + len(b"%PDF-")]
    return found and (not is_text(sample) or b"%%EOF" in sample.tail)


def is_markdown(sample: Sample) -> bool:
    """Content cannot tell Markdown from other text: the name does."""
    return is_text(sample) and PurePath(sample.name).suffix.lower() in {".md", ".markdown", ".mdown", ".mkd"}


# The first that matches counts.
FORMATS = [
    Format(PDF, "a PDF", begins(b"%PDF-")),
    Format("image/png", "a PNG image", begins(b"\x89PNG\r\n\x1a\n")),
    Format("image/jpeg", "a JPEG image", begins(b"\xff\xd8\xff")),
    Format("image/gif", "a GIF image", begins(b"GIF87a", b"GIF89a")),
    Format("image/tiff", "a TIFF image", begins(b"II*\x00", b"MM\x00*")),
    Format("application/docx", "a Word document (DOCX)", is_docx),
    Format("application/zip", "a ZIP archive or an Office document", begins(b"PK\x03\x04", b"PK\x05\x06")),
    Format(
        "application/ole",
        "an old Office document, or an Office document with a password",
        begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ),
    Format("application/gzip", "a GZIP archive", begins(b"\x1f\x8b")),
    Format("application/rtf", "an RTF document", begins(rb"{\rtf")),
    Format(PDF, "a PDF", is_pdf_after_junk),
    Format("text/html", "an HTML page", is_html),
    Format(MARKDOWN, "a Markdown text", is_markdown),
    Format(TEXT, "a plain text", is_text),
    Format("application/octet-stream", "a binary file of an unknown sort", lambda _: True),
]


def recognise(sample: Sample) -> Format:
    return next(known for known in FORMATS if known.matches(sample))
