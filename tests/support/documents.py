"""Documents made for tests, as bytes: good ones, and every way of being bad that can be made in a few lines."""

import io
import struct
import zipfile
import zlib
from datetime import UTC, datetime
from functools import cache

from fpdf import FPDF
from fpdf.enums import EncryptionMethod

from .story import SECTIONS, TITLE

MARGIN_MM = 25
PROSE = (
    "The harbour was quiet in the early morning. Two boats lay at the wall, and a man with a grey cap counted "
    "the boxes on the nearer one. He wrote each number down twice."
)


def marker(page: int) -> str:
    """What page `page` of a marker document holds, and no other page."""
    return f"PAGE-{page:04d}"


@cache
def marker_pdf(pages: int = 200) -> bytes:
    """Each page holds its marker and three sentences."""
    pdf = _pdf()
    for page in range(1, pages + 1):
        pdf.add_page()
        pdf.set_font("Helvetica", size=12)
        pdf.multi_cell(0, 7, f"{marker(page)}\n{PROSE}")
    return bytes(pdf.output())


def marker_txt(pages: int = 200) -> bytes:
    """The same as plain text, with a form feed between two pages."""
    return "\f".join(f"{marker(page)}\n{PROSE}\n" for page in range(1, pages + 1)).encode()


@cache
def story_pdf(pages: int = 12) -> bytes:
    """A story to read: a title, then one section a page, `pages` of them (12 at most)."""
    pdf = _Book(format="A4")
    _lay_out(pdf)
    for number, (heading, text) in enumerate(SECTIONS[:pages], start=1):
        pdf.add_page()
        if number == 1:
            pdf.set_font("Times", style="B", size=28)
            pdf.multi_cell(0, 14, TITLE, new_x="LMARGIN", new_y="NEXT")
            pdf.ln(10)
        pdf.set_font("Times", style="B", size=18)
        pdf.cell(0, 12, f"{number}. {heading}", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2)
        pdf.set_font("Times", size=14)
        pdf.multi_cell(0, 8, text, align="L")
    return bytes(pdf.output())


@cache
def text_pdf(*pages: str) -> bytes:
    """One page for each text; "" makes a page with a drawn rectangle only."""
    pdf = _pdf()
    for text in pages:
        pdf.add_page()
        pdf.set_font("Helvetica", size=12)
        pdf.rect(20, 200, 100, 40)
        if text:
            pdf.multi_cell(0, 7, text)
    return bytes(pdf.output())


def textless_pdf(pages: int = 2) -> bytes:
    """Like a scan: every page shows a picture, none holds text."""
    pdf = _pdf()
    for _ in range(pages):
        pdf.add_page()
        pdf.image(io.BytesIO(png()), x=0, y=0, w=210, h=297)
    return bytes(pdf.output())


def encrypted_pdf(text: str, *, user_password: str) -> bytes:
    """AES-256. With an empty `user_password` every viewer opens it."""
    pdf = _pdf()
    pdf.set_encryption(
        owner_password="owner",
        user_password=user_password,
        encryption_method=EncryptionMethod.AES_256,
        encrypt_metadata=True,
    )
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.multi_cell(0, 7, text)
    return bytes(pdf.output())


def damaged_pdf() -> bytes:
    """Cut off at half its length."""
    whole = marker_pdf(6)
    return whole[: len(whole) // 2]


def zero_page_pdf() -> bytes:
    """In order, with no pages in it."""
    return raw_pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"])


def looping_pdf() -> bytes:
    """A page tree that names itself as its own child, after one real page that says "Potato"."""
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>",
            *_page_objects("Potato"),
        ]
    )


def mapped_pdf(shown: str, *, glyph: str, utf16: str) -> bytes:
    """A page that shows `shown` in a font which says that `glyph` means the hex digits `utf16`.

    With "0000" the text holds a NUL, with "D835" half a surrogate pair, with "FB01" a ligature.
    """
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Odd def /CMapType 2 def "
        "1 begincodespacerange <00> <FF> endcodespacerange "
        f"1 beginbfchar <{ord(glyph):02X}> <{utf16}> endbfchar endcmap end end"
    )
    page, content, font = _page_objects(shown)
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page,
            content,
            font.replace(">>", "/ToUnicode 6 0 R >>"),
            _stream(cmap),
        ]
    )


def raw_pdf(objects: list[str]) -> bytes:
    """A PDF of these objects, numbered from 1, the first one being the catalog."""
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode()


def png() -> bytes:
    """A grey picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    picture = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\x00\x80")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + picture


def zipped(*names: str) -> bytes:
    """A ZIP archive with a file under each of these names."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names or ("notes.txt",):
            archive.writestr(name, "Hello")
    return file.getvalue()


def docx() -> bytes:
    """Enough of a Word document to be recognised as one."""
    return zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml")


def ole() -> bytes:
    """The beginning of an old Office document, or of a new one with a password."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


class _Book(FPDF):
    """With the page's number at its foot."""

    def footer(self) -> None:
        self.set_y(-MARGIN_MM + 5)
        self.set_font("Times", style="I", size=11)
        self.cell(0, 8, str(self.page_no()), align="C")


def _pdf() -> FPDF:
    pdf = FPDF(format="A4")
    _lay_out(pdf)
    return pdf


def _lay_out(pdf: FPDF) -> None:
    pdf.set_margin(MARGIN_MM)
    # The same bytes each time.
    pdf.set_creation_date(datetime(2026, 1, 1, tzinfo=UTC))


def _page_objects(shown: str) -> tuple[str, str, str]:
    """A page, its content and its font: objects 3, 4 and 5, under the page tree 2."""
    return (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        _stream(f"BT /F1 24 Tf 40 100 Td ({shown}) Tj ET"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
