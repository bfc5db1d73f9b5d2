"""Which sort of file some bytes are, by content: the table of what is accepted, and of what is only recognised."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from .wide import encoding_by_mark, wide_encoding

PDF = "application/pdf"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
# An Office document with a password: whether it is a DOCX is known only when it is open.
LOCKED_OFFICE = "application/x-locked-office"

# In the order in which they are named to people.
ACCEPTED = {PDF: "PDF", DOCX: "Word (DOCX)", HTML: "HTML", TEXT: "plain text", MARKDOWN: "Markdown"}

# How much of a file's beginning and end `recognise` wants, in bytes.
HEAD_BYTES = 4096
TAIL_BYTES = 2048
# Readers open a PDF whose header comes after this much of something else.
PDF_JUNK_BYTES = 1024

ZIP_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
OLE_BEGINS = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# A stream of this name is in every Office document with a password.
OLE_LOCKED = "EncryptedPackage".encode("utf-16-le")

# Possessive: a page may begin with hundreds of comments, and backtracking over them takes for ever.
HTML_BEGINS = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?+(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
TAG_BEGINS = re.compile(r"\s*+<(?:!--|[a-z][a-z0-9]*[\s>/])", re.I)
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Sample:
    """Of one file: its first HEAD_BYTES, its last TAIL_BYTES, whether any NUL is in it, and its name.

    `entries`: the names in a ZIP archive, None without a directory. `locked`: an OLE container has OLE_LOCKED in it.
    """

    head: bytes
    tail: bytes
    has_nul: bool
    name: str
    entries: list[str] | None = None
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """`media_type`: as above, or of our own making; `words`: for people, "a PNG image"; `advice`: a sentence."""

    media_type: str
    words: str
    matches: Callable[[Sample], bool]
    advice: str = ""


def begins(*signatures: bytes) -> Callable[[Sample], bool]:
    return lambda sample: sample.head.startswith(signatures)


def office(folder: str) -> Callable[[Sample], bool]:
    """Whether it is a ZIP archive with an Office document in it that keeps its parts in `folder`."""

    def matches(sample: Sample) -> bool:
        names = sample.entries or []
        return "[Content_Types].xml" in names and any(name.startswith(folder) for name in names)

    return matches


def has_type(word: bytes) -> Callable[[Sample], bool]:
    """Whether it is a ZIP archive of the sort that names its media type first, with `word` in it."""
    begins_so = begins(*ZIP_BEGINS)
    return lambda sample: begins_so(sample) and sample.head[30:38] == b"mimetype" and word in sample.head


def is_cut_zip(sample: Sample) -> bool:
    return sample.head.startswith(ZIP_BEGINS[0]) and sample.entries is None


def is_locked(sample: Sample) -> bool:
    return sample.head.startswith(OLE_BEGINS) and sample.locked


def text_encoding(head: bytes) -> str | None:
    """Where it cannot be told by ASCII."""
    return encoding_by_mark(head) or wide_encoding(head)


def is_text(sample: Sample) -> bool:
    """No NUL anywhere and hardly a control character at the beginning; UTF-16 and a byte order mark settle it."""
    if text_encoding(sample.head):
        return True
    return not sample.has_nul and len(CONTROLS.findall(sample.head)) * 100 <= len(sample.head)


def is_html(sample: Sample) -> bool:
    """By its first element; a fragment only under the name of a page: Markdown may begin with a tag too."""
    if not is_text(sample):
        return False
    text = sample.head.decode(text_encoding(sample.head) or "latin-1", "ignore").removeprefix("\ufeff")
    named_so = has_suffix(sample, ".html", ".htm", ".xhtml")
    return bool(HTML_BEGINS.match(text) or (named_so and TAG_BEGINS.match(text)))


def is_pdf_after_junk(sample: Sample) -> bool:
    """A text that speaks of PDF headers has no PDF's end."""
    found = b"%PDF-" in sample.head[: PDF_JUNK_BYTES + len(b"%PDF-")]
    return found and (not is_text(sample) or b"%%EOF" in sample.tail)


def is_markdown(sample: Sample) -> bool:
    """Content cannot tell Markdown from other text: the name does."""
    return is_text(sample) and has_suffix(sample, ".md", ".markdown", ".mdown", ".mkd")


def has_suffix(sample: Sample, *suffixes: str) -> bool:
    return PurePath(sample.name).suffix.lower() in suffixes


# The first that matches counts.
FORMATS = [
    Format(PDF, "a PDF", begins(b"%PDF-")),
    Format("image/png", "a PNG image", begins(b"\x89PNG\r\n\x1a\n")),
    Format("image/jpeg", "a JPEG image", begins(b"\xff\xd8\xff")),
    Format("image/gif", "a GIF image", begins(b"GIF87a", b"GIF89a")),
    Format("image/tiff", "a TIFF image", begins(b"II*\x00", b"MM\x00*")),
    Format(DOCX, "a Word document", office("word/")),
    Format("application/xlsx", "an Excel workbook", office("xl/"), "Save it as PDF."),
    Format("application/pptx", "a PowerPoint presentation", office("ppt/"), "Save it as PDF."),
    Format("application/odf", "an OpenDocument file", has_type(b"opendocument"), "Save it as DOCX or PDF."),
    Format("application/epub", "an EPUB book", has_type(b"epub")),
    Format("application/zip", "a damaged Office document or ZIP archive, whose end is missing", is_cut_zip),
    Format("application/zip", "a ZIP archive", begins(*ZIP_BEGINS)),
    Format(LOCKED_OFFICE, "an Office document with a password", is_locked),
    Format("application/ole", "an old Office document (.doc)", begins(OLE_BEGINS), "Save it as DOCX or PDF."),
    Format("application/gzip", "a GZIP archive", begins(b"\x1f\x8b")),
    Format("application/rtf", "an RTF document", begins(rb"{\rtf"), "Save it as DOCX or PDF."),
    Format(PDF, "a PDF", is_pdf_after_junk),
    Format(HTML, "an HTML page", is_html),
    Format(MARKDOWN, "a Markdown text", is_markdown),
    Format(TEXT, "a plain text", is_text),
    Format("application/octet-stream", "a binary file of an unknown sort", lambda _: True),
]


def recognise(sample: Sample) -> Format:
    return next(known for known in FORMATS if known.matches(sample))
