"""The text of one paragraph of a Word document, run by run.

Tracked insertions are in it, deletions are not, moved text is where it went. Hidden text, comments and the instructions
of fields are left out; of a field its result is there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from ..markdown import link, raised
from .names import MC, M, R, W, value
from .styles import Styles

PAGE_BREAK = "\f"
# What holds runs and adds nothing to them.
TRANSPARENT = {W + name for name in ["ins", "moveTo", "smartTag", "customXml", "fldSimple", "dir", "bdo"]}
SIGNS = {W + "tab": "\t", W + "ptab": "\t", W + "cr": "\n", W + "noBreakHyphen": "-"}
NOTES = {W + "footnoteReference": "footnote", W + "endnoteReference": "endnote"}
PICTURES = {W + "drawing", W + "pict", W + "object"}
# Symbol fonts keep their signs in the area for private use: what they mean there nobody knows.
PRIVATE = range(0xE000, 0xF900)


@dataclass(slots=True)
class Line:
    """`text` may hold PAGE_BREAK. `boxes`: the text boxes anchored here.

    `links`: URLs by relationship id. `note`: gives the mark for a note's kind and id. `fields`: for each field that is
    open, whether its instruction is being read; a field may reach over several paragraphs.
    """

    styles: Styles
    links: dict[str, str]
    note: Callable[[str, str], str]
    fields: list[bool]
    hidden: bool = False
    pieces: list[str] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def read(self, parent: etree._Element) -> None:
        for child in parent:
            if child.tag == W + "r":
                self._run(child)
            elif child.tag == W + "hyperlink":
                self._hyperlink(child)
            elif child.tag in {M + "oMath", M + "oMathPara"}:
                self._add("".join(each.text or "" for each in child.iter(M + "t")))
            elif (inner := inside(child)) is not None:
                self.read(inner)
            elif child.tag in TRANSPARENT:
                self.read(child)

    def _hyperlink(self, element: etree._Element) -> None:
        start = len(self.pieces)
        self.read(element)
        text = "".join(self.pieces[start:])
        if PAGE_BREAK not in text:
            self.pieces[start:] = [link(text, self.links.get(element.get(R + "id", ""), ""))]

    def _run(self, run: etree._Element) -> None:
        properties = run.find(W + "rPr")
        start = len(self.pieces)
        self._contents(run)
        text = "".join(self.pieces[start:])
        if self.styles.hides(properties, hidden=self.hidden):
            text = ""
        elif properties is not None and value(properties.find(W + "vertAlign")) == "superscript":
            text = raised(text, after=self.pieces[start - 1] if start else "")
        self.pieces[start:] = [text] if text else []

    def _contents(self, run: etree._Element) -> None:
        for child in run:
            if child.tag == W + "t":
                self._add(child.text or "")
            elif child.tag in SIGNS:
                self._add(SIGNS[child.tag])
            elif child.tag == W + "br":
                self._add(PAGE_BREAK if value(child, "type") == "page" else "\n")
            elif child.tag in NOTES:
                self._add(self.note(NOTES[child.tag], value(child, "id")))
            elif child.tag == W + "fldChar":
                self._field(value(child, "fldCharType"))
            else:
                self._rarer(child)

    def _rarer(self, child: etree._Element) -> None:
        if child.tag in PICTURES:
            self.boxes += boxes(child)
        elif child.tag == MC + "AlternateContent":
            self._contents(alternative(child))
        elif child.tag == W + "sym":
            sign = int(value(child, "char") or "0", 16)
            self._add("" if sign in PRIVATE else chr(sign))
        elif child.tag == W + "ruby":
            self._ruby(child)

    def _ruby(self, element: etree._Element) -> None:
        """Its base, and how that is read in parentheses."""
        for name, form in (("rubyBase", "{}"), ("rt", "({})")):
            part = element.find(W + name)
            text = "" if part is None else "".join(each.text or "" for each in part.iter(W + "t"))
            self._add(form.format(text) if text else "")

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self.fields.append(True)
        elif kind == "separate" and self.fields:
            self.fields[-1] = False
        elif kind == "end" and self.fields:
            self.fields.pop()

    def _add(self, text: str) -> None:
        if text and not any(self.fields):
            self.pieces.append(text)


def inside(element: etree._Element) -> etree._Element | None:
    """What a content control or an alternative holds; None for another element. A control's placeholder is no text."""
    if element.tag == MC + "AlternateContent":
        return alternative(element)
    if element.tag == W + "sdt" and element.find(f"{W}sdtPr/{W}showingPlcHdr") is None:
        return element.find(W + "sdtContent")
    return None


def alternative(element: etree._Element) -> etree._Element:
    """One of the forms in which the same thing is stored: the newest that has text, else the last."""
    forms = [child for child in element if child.tag in {MC + "Choice", MC + "Fallback"}] or [element]
    return next((form for form in forms if next(form.iter(W + "t", M + "t"), None) is not None), forms[-1])


def boxes(element: etree._Element) -> Iterator[etree._Element]:
    """The text boxes in a drawing, the outermost ones."""
    for child in element:
        if child.tag == W + "txbxContent":
            yield child
        else:
            yield from boxes(alternative(child) if child.tag == MC + "AlternateContent" else child)
