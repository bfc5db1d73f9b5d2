"""PDFs with oddities that were really seen, and bombs, each made in a few lines."""

import io
import zlib
from functools import cache

from fpdf import FPDF
from pypdf import PdfReader, PdfWriter

from .documents import marker_pdf, png

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
POTATO = b"BT /F1 24 Tf 40 100 Td (Potato) Tj ET"


def xref_loop_pdf() -> bytes:
    """A page that says "Potato"; its two cross-reference tables name each other as the one before."""
    body, places = _body(dict(enumerate([CATALOG, _tree(3), _page(4, 5), _stream(POTATO), FONT], start=1)))
    first = len(body)
    second = first + len(_xref(places, before=0))
    body += _xref(places, before=second) + _xref({}, before=first)
    return body + b"startxref\n%d\n%%%%EOF\n" % second


def self_listing_pdf() -> bytes:
    """An object stream, object 1, that lists itself among the objects that it holds; the page says "Potato"."""
    catalog, tree = b"<< /Type /Catalog /Pages 3 0 R >>\n", _tree(4)
    index = b"1 0 2 0 3 %d " % len(catalog)
    packed = _stream(index + catalog + tree, extra=b"/Type /ObjStm /N 3 /First %d" % len(index))
    page = _page(5, 6, parent=3)
    body, places = _body({1: packed, 4: page, 5: _stream(POTATO), 6: FONT})
    table = len(body)
    rows = [(0, 0, 255), (1, places[1], 0), (2, 1, 1), (2, 1, 2), *((1, places[number], 0) for number in (4, 5, 6))]
    rows.append((1, table, 0))
    data = b"".join(bytes([kind]) + where.to_bytes(4, "big") + bytes([last]) for kind, where, last in rows)
    extra = b"/Type /XRef /Size %d /W [1 4 1] /Root 2 0 R" % len(rows)
    return body + b"7 0 obj\n" + _stream(data, extra=extra) + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % table


def odd_filter_pdf(*, readable: bool = False) -> bytes:
    """The content of page 1 names a filter that does not exist; with `readable` page 2 says "Potato"."""
    return pages_pdf([odd(), *([potato()] if readable else [])])


def broken_content_pdf() -> bytes:
    """Page 1 says "Potato", what page 2 says is no compressed data at all."""
    return pages_pdf([potato(), _stream(b"\xff" * 200, extra=b"/Filter /FlateDecode")])


def blank_pdf(pages: int = 1) -> bytes:
    return pages_pdf([nothing()] * pages)


@cache
def scanned_pdf(*pages: str) -> bytes:
    """One page for each text; "" makes a page with a picture only, as a scanner does."""
    pdf = FPDF(format="A4")
    for text in pages:
        pdf.add_page()
        pdf.set_font("Helvetica", size=12)
        if text:
            pdf.multi_cell(0, 7, text)
        else:
            pdf.image(io.BytesIO(png()), x=0, y=0, w=210, h=297)
    return bytes(pdf.output())


@cache
def outlined_pdf(title: str, pages: int, *sections: tuple[str, int]) -> bytes:
    """A marker document with a title and a bookmark for each (words, page number)."""
    writer = PdfWriter(clone_from=io.BytesIO(marker_pdf(pages)))
    writer.add_metadata({"/Title": title})
    for words, page in sections:
        writer.add_outline_item(title=words, page_number=page - 1)
    return _written(writer)


@cache
def locked_pdf(pages: int, password: str) -> bytes:
    """A marker document, AES-256; with an empty `password` every viewer opens it."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(marker_pdf(pages))))
    writer.encrypt(password, "owner", algorithm="AES-256")
    return _written(writer)


def stream_bomb_pdf(megabytes: int, *, layers: int = 1) -> bytes:
    """A page whose content is so many MB of spaces, compressed `layers` times over."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        data = zlib.compress(data, 9)
    return pages_pdf([_stream(data, extra=b"/Filter [" + b"/FlateDecode " * layers + b"]")])


def laughing_pdf(depth: int = 9, wide: int = 10) -> bytes:
    """A page that draws a form ten times, which draws a form ten times, and so on: 10 to the power of `depth`."""
    objects = [CATALOG, _tree(3), _page(4, 5, more=b"/XObject << /X 6 0 R >>"), _stream(b"/X Do " * wide)]
    objects.append(FONT)
    for number in range(6, 6 + depth - 1):
        objects.append(_form(b"/X Do " * wide, b"/XObject << /X %d 0 R >>" % (number + 1)))
    objects.append(_form(POTATO, b"/Font << /F1 5 0 R >>"))
    return _finished(objects)


def text_bomb_pdf(lines: int) -> bytes:
    """A page of so many lines of 75 letters, a few hundred bytes of file for each thousand of them."""
    content = b"BT /F1 12 Tf 10 100 Td 14 TL\n" + (b"(" + b"a" * 75 + b") Tj T*\n") * lines + b"ET"
    return pages_pdf([_stream(zlib.compress(content, 9), extra=b"/Filter /FlateDecode")])


@cache
def many_pages_pdf(pages: int) -> bytes:
    """So many pages that all show the same content, "Potato"."""
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + pages))
    tree = b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % pages
    return _finished([CATALOG, tree, FONT, _stream(POTATO), *[_page(4, 3)] * pages])


def pages_pdf(contents: list[bytes]) -> bytes:
    """A page for each of these content streams."""
    first = 4
    numbers = [first + 2 * place for place in range(len(contents))]
    objects = [CATALOG, _tree(*numbers), FONT]
    for number, content in zip(numbers, contents, strict=True):
        objects += [_page(number + 1, 3), content]
    return _finished(objects)


def potato() -> bytes:
    """The content of a page that says so."""
    return _stream(POTATO)


def nothing() -> bytes:
    """The content of a page that shows nothing."""
    return _stream(b"")


def odd() -> bytes:
    """The content of a page in a compression that does not exist."""
    return _stream(zlib.compress(POTATO), extra=b"/Filter /PlateDecode")


def _written(writer: PdfWriter) -> bytes:
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _tree(*pages: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    return b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % len(pages)


def _page(content: int, font: int, *, parent: int = 2, more: bytes = b"") -> bytes:
    box = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 300 200] /Contents %d 0 R" % (parent, content)
    return box + b" /Resources << /Font << /F1 %d 0 R >> %s >> >>" % (font, more)


def _form(content: bytes, resources: bytes) -> bytes:
    extra = b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << " + resources + b" >>"
    return _stream(content, extra=extra)


def _stream(content: bytes, *, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n" % (len(content), extra) + content + b"\nendstream"


def _body(objects: dict[int, bytes]) -> tuple[bytes, dict[int, int]]:
    """Header and objects, and where each object begins."""
    data, places = io.BytesIO(), {}
    data.write(b"%PDF-1.7\n")
    for number, body in objects.items():
        places[number] = data.tell()
        data.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    return data.getvalue(), places


def _xref(places: dict[int, int], *, before: int | None = None) -> bytes:
    """Table and trailer, of the same length whatever `before`, the place of the table before, is."""
    size = len(places) + 1
    rows = b"".join(b"%010d 00000 n \n" % place for place in places.values())
    table = b"xref\n0 %d\n0000000000 65535 f \n" % size + rows
    previous = b"" if before is None else b" /Prev %010d" % before
    return table + b"trailer\n<< /Size %d /Root 1 0 R%s >>\n" % (size, previous)


def _finished(objects: list[bytes]) -> bytes:
    """Numbered from 1, the first one being the catalog."""
    body, places = _body(dict(enumerate(objects, start=1)))
    return body + _xref(places) + b"startxref\n%d\n%%%%EOF\n" % len(body)
