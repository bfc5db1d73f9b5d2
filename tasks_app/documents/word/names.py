"""Names in Office Open XML, as lxml gives them."""

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

# The strict form of the standard has addresses of its own, and the same names below them.
STRICT = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": W[1:-1].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": R[1:-1].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/math": M[1:-1].encode(),
}


def value(element: etree._Element | None, name: str = "val") -> str:
    """Its attribute of that name, "" without one."""
    return "" if element is None else element.get(W + name, "")


def is_on(parent: etree._Element | None, name: str) -> bool | None:
    """Whether the switch `name` in `parent` is on; None where it is not there."""
    switch = None if parent is None else parent.find(W + name)
    return None if switch is None else value(switch) not in {"0", "false", "off", "none"}


def number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 10 else None
