"""Files with the oddities of documents that people really have, and what a correct product makes of each."""

from dataclasses import dataclass

from . import documents, documents_office, documents_pdf
from . import documents_text as texts
from .documents_office import p, r, table, text_box, word

LOCKED_WORD = documents_office.locked(word(p("Behind the lock")), "view")
TRACKED = (
    f"<w:p>{r('Kept ')}<w:ins>{r('inserted')}</w:ins><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
)
NOTE = '<w:r><w:footnoteReference w:id="2"/></w:r>'
HEADED = p("Body") + '<w:sectPr><w:headerReference r:id="h0"/><w:footerReference r:id="f0"/></w:sectPr>'
NEEDED = "needs a password to be opened"
ENTER = "Enter it when you submit the file."
ACCEPTED = "Accepted are PDF, Word (DOCX), HTML, plain text and Markdown files."


@dataclass(frozen=True, slots=True)
class Readable:
    """`text`: what `document.extract` gives."""

    name: str
    content: bytes
    text: str
    password: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """`sentence`: what people are told."""

    name: str
    content: bytes
    sentence: str
    password: str = ""


def readable() -> list[Readable]:
    return [*_readable_pdfs(), *_readable_word(), *_readable_texts()]


def refused() -> list[Refused]:
    """Those that look like what they should be, until they are read."""
    locked = documents.encrypted_pdf("Behind the lock", user_password="view")
    pdf_needed, word_needed = f"This PDF {NEEDED}", f"This document {NEEDED}"
    damaged = "This PDF is damaged and cannot be read."
    return [
        Refused("no password.pdf", locked, f"{pdf_needed}. {ENTER}"),
        Refused("wrong password.pdf", locked, f"{pdf_needed}, and the password does not fit. {ENTER}", "wrong"),
        Refused("no password.docx", LOCKED_WORD, f"{word_needed}. {ENTER}"),
        Refused("wrong password.docx", LOCKED_WORD, f"{word_needed}, and the password does not fit. {ENTER}", "wrong"),
        Refused("zero pages.pdf", documents.zero_page_pdf(), "The document has no pages."),
        Refused("cut at a half.pdf", documents.damaged_pdf(), damaged),
        Refused("five bytes.pdf", b"%PDF-", damaged),
        Refused(
            "scanned.pdf",
            documents.textless_pdf(3),
            "No text was found. Pages 1–3: scanned, it seems: page images only. "
            "Run text recognition (OCR) over it first.",
        ),
        Refused(
            "unknown filter.pdf",
            documents_pdf.odd_filter_pdf(),
            "No text was found. Page 1: could not be read: unsupported filter /PlateDecode.",
        ),
        Refused(
            "too many pages.pdf",
            documents_pdf.many_pages_pdf(2001),
            "The document has 2,001 pages, and 2,000 at most are accepted. Choose fewer pages, or split it.",
        ),
        Refused(
            "no xml.docx",
            documents.docx(),
            "This Word document is damaged and cannot be read. Save it anew and submit it again.",
        ),
        Refused(
            "blank.docx",
            word(p(" ")),
            "No text was found: the document holds nothing but pictures or white space.",
        ),
    ]


def not_taken() -> list[Refused]:
    """Those that a look at submission gives away."""
    return [
        Refused("nothing.pdf", b"", "“nothing.pdf” is empty (0 bytes). Choose a file with text in it."),
        Refused("picture.pdf", documents.png(), f"“picture.pdf” seems to be a PNG image. {ACCEPTED}"),
        Refused("archive.docx", documents.zipped(), f"“archive.docx” seems to be a ZIP archive. {ACCEPTED}"),
        Refused(
            "table.docx",
            documents_office.workbook(),
            f"“table.docx” seems to be an Excel workbook. {ACCEPTED} Save it as PDF.",
        ),
    ]


def _readable_pdfs() -> list[Readable]:
    loop = _page("Potato") + "\n\n<!-- Page 2: this page could not be read -->"
    filtered = "<!-- Page 1: could not be read: unsupported filter /PlateDecode -->\n\n" + _page("Potato", 2)
    return [
        Readable("loop of tables.pdf", documents_pdf.xref_loop_pdf(), _page("Potato")),
        Readable("loop of pages.pdf", documents.looping_pdf(), loop),
        Readable("lists itself.pdf", documents_pdf.self_listing_pdf(), _page("Potato")),
        Readable("one odd filter.pdf", documents_pdf.odd_filter_pdf(readable=True), filtered),
        Readable("empty password.pdf", documents.encrypted_pdf("For all", user_password=""), _page("For all")),
        Readable(
            "right password.pdf", documents.encrypted_pdf("Locked", user_password="view"), _page("Locked"), "view"
        ),
        Readable("ligature.pdf", _mapped("FB03"), _page("offier")),
        Readable("nul.pdf", _mapped("0000"), _page("oer")),
        Readable("half a pair.pdf", _mapped("D835"), _page("o\ufffder")),
    ]


def _readable_word() -> list[Readable]:
    tabled = p("Above") + table(["Top left", "Top right"], ["Bottom left", "Bottom right"]) + p("Below")
    rows = "| Top left | Top right |\n| --- | --- |\n| Bottom left | Bottom right |"
    footnote = f'<w:footnote w:id="2">{p("A tachyon walks into a bar.")}</w:footnote>'
    marginal = word(HEADED, headers=(p("Header"),), footers=(p("Footer"),))
    return [
        Readable("text box.docx", word(f"<w:p>{text_box(p('Datum plane'))}</w:p>"), "Datum plane"),
        Readable("table.docx", word(tabled), f"Above\n\n{rows}\n\nBelow"),
        Readable(
            "footnote.docx",
            word(f"<w:p>{r('Ouch.')}{NOTE}</w:p>", footnotes=footnote),
            "Ouch.[^1]\n\n[^1]: A tachyon walks into a bar.",
        ),
        Readable("header.docx", marginal, "Header\n\nBody\n\nFooter"),
        Readable("tracked.docx", word(TRACKED), "Kept inserted"),
        Readable("right password.docx", LOCKED_WORD, "Behind the lock", "view"),
    ]


def _readable_texts() -> list[Readable]:
    letters = "".join(map(chr, range(0x10300, 0x10300 + 127)))
    return [
        Readable("no mark.html", texts.plane_1_page(), f"# Old Italic\n\n{letters}"),
        Readable("mark.txt", texts.EMOJI.encode("utf-16"), texts.EMOJI),
        Readable("gb18030.txt", texts.CHINESE.encode("gb18030"), texts.CHINESE),
        Readable("shift-jis.txt", texts.JAPANESE.encode("shift_jis"), texts.JAPANESE),
        Readable("latin-1.txt", texts.GERMAN.encode("latin-1"), texts.GERMAN),
        Readable("no document.docx", b"Just some words", "Just some words"),
    ]


def _mapped(utf16: str) -> bytes:
    return documents.mapped_pdf("o*er", glyph="*", utf16=utf16)


def _page(text: str, number: int = 1) -> str:
    return f"<!-- Page {number} -->\n\n{text}"
