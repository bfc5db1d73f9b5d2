"""Word documents made for tests, as bytes: of the XML that a test names, and ways in which they are none."""

import io
import struct
import zipfile
from typing import Any

from msoffcrypto.format.ooxml import OOXMLFile

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}/relationships" xmlns:m="{OFFICE}/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    f'<Override PartName="/word/document.xml" ContentType="{MAIN_TYPE}"/></Types>'
)
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"

# What the archive as a whole refers to: id, sort, name.
WHOLE = [("d", "officeDocument", "word/document.xml"), ("c", "metadata/core-properties", "docProps/core.xml")]


def word(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    footnotes: str = "",
    endnotes: str = "",
    headers: tuple[str, ...] = (),
    footers: tuple[str, ...] = (),
    links: tuple[str, ...] = (),
    title: str = "",
    more: dict[str, bytes] | None = None,
) -> bytes:
    """A Word document. `headers`, `footers`: of one section each, referred to as h0, f0; `links`: URLs named l0, l1."""
    parts = {"styles": styles, "numbering": numbering, "footnotes": footnotes, "endnotes": endnotes}
    related = [(name, name, f"{name}.xml") for name, inner in parts.items() if inner]
    files = {f"word/{name}.xml": _part(name, inner) for name, inner in parts.items() if inner}
    for kind, short, texts in (("header", "h", headers), ("footer", "f", footers)):
        for number, inner in enumerate(texts):
            related.append((f"{short}{number}", kind, f"{kind}{number}.xml"))
            files[f"word/{kind}{number}.xml"] = _part("hdr" if kind == "header" else "ftr", inner)
    related += [(f"l{number}", "hyperlink", url) for number, url in enumerate(links)]
    files["word/_rels/document.xml.rels"] = _relationships(related)
    files["word/document.xml"] = _part("document", f"<w:body>{body}</w:body>")
    files["docProps/core.xml"] = (
        '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c:coreProperties>'
    )
    return package({"[Content_Types].xml": TYPES, "_rels/.rels": _relationships(WHOLE), **files, **(more or {})})


def package(files: dict[str, Any], *, compressed: bool = True) -> bytes:
    """A ZIP archive of these texts or bytes by name, in this order."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def p(text: str = "", *, style: str = "", properties: str = "") -> str:
    """A paragraph of one run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{r(text)}</w:p>"


def r(text: str, *, properties: str = "") -> str:
    """A run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: list[str]) -> str:
    """Of cells that hold a paragraph each."""
    lines = ["".join(f"<w:tc>{p(cell)}</w:tc>" for cell in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{line}</w:tr>" for line in lines) + "</w:tbl>"


def text_box(inner: str) -> str:
    """A run with a text box, stored twice as Word does it."""
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx><w:txbxContent>'
        f"{inner}</w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>"
        f"<w:txbxContent>{inner}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


def locked(plain: bytes, password: str) -> bytes:
    """An Office document with a password, as Word saves it."""
    # What is smaller than 4096 bytes lies elsewhere in the container, and the library puts it wrongly there.
    whole = io.BytesIO(plain)
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr("word/media/image.bin", bytes(8192))
    data = io.BytesIO()
    OOXMLFile(whole).encrypt(password, data)
    return data.getvalue()


def workbook() -> bytes:
    """Enough of an Excel workbook."""
    related = _relationships([("d", "officeDocument", "xl/workbook.xml")])
    return package({"[Content_Types].xml": TYPES, "_rels/.rels": related, "xl/workbook.xml": "<workbook/>"})


def zip_bomb(megabytes: int = 300) -> bytes:
    """A Word document whose text unpacks to so much."""
    data = io.BytesIO(package({"[Content_Types].xml": TYPES, "_rels/.rels": _relationships(WHOLE)}))
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        begin, end = _part("document", "<w:body>|</w:body>").split("|")
        part.write(begin.encode())
        for _ in range(megabytes):
            part.write(p("a" * 1024 * 1024).encode())
        part.write(end.encode())
    return data.getvalue()


def lying_bomb(megabytes: int = 300) -> bytes:
    """The same, but the archive's directory says that the text has 100 bytes."""
    whole = bytearray(zip_bomb(megabytes))
    at = whole.rfind(b"word/document.xml") - 46
    whole[at + 24 : at + 28] = struct.pack("<L", 100)
    return bytes(whole)


def entity_bomb() -> bytes:
    """A body of a few bytes that entities blow up to 10^9 characters."""
    entities = '<!ENTITY a0 "aaaaaaaaaa">' + "".join(
        f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 10)
    )
    return word("", more={"word/document.xml": f"<!DOCTYPE d [{entities}]>{_part('document', '&a9;')}".encode()})


def _part(root: str, inner: str) -> str:
    return f"<w:{root} {SPACES}>{inner}</w:{root}>"


def _relationships(related: list[tuple[str, str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/relationships/{kind}" Target="{target}"'
        f"{' TargetMode="External"' if kind == 'hyperlink' else ''}/>"
        for name, kind, target in related
    )
    return f'<Relationships xmlns="{RELATIONSHIPS}">{lines}</Relationships>'
