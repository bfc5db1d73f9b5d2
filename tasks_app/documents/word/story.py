"""A stretch of a Word document as Markdown, in its order: paragraphs, headings, lists, tables, text boxes.

A text box comes after the paragraph to which it is anchored. A note is marked where it stands, `[^1]`, and follows at
the end of the page (of the document, where that knows no pages).
"""

import re
from collections.abc import Iterator

from lxml import etree

from ..markdown import Blocks, Table, heading, indented, item, paragraph
from .line import PAGE_BREAK, TRANSPARENT, Line, inside
from .names import W, number, value
from .notes import Notes
from .numbering import BULLET, Numbering
from .styles import Style, Styles

# A mark goes behind the punctuation after it, as in print: "so.[^1]" and not "so[^1]."
MARK_BEFORE_SIGN = re.compile(r"((?:\[\^\d+\])+)([.,;:!?…)\]”’»]+)")
INDENT = 2
NOTE_INDENT = 4
NEW_PAGE = {"", "nextPage", "oddPage", "evenPage"}


class Story:
    """`pages`: one, or several where the document itself begins new ones."""

    def __init__(
        self,
        *,
        styles: Styles,
        numbering: Numbering,
        notes: Notes,
        links: dict[str, str],
        breaks: list[bool] | None = None,
    ) -> None:
        """`links`: URLs by relationship id. `breaks`: of the body, whether each section's end is a page's end."""
        self.pages = [Blocks()]
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._links = links
        self._sections = iter(breaks or [])
        self._is_body = breaks is not None
        self._fields: list[bool] = []
        # Of paragraphs whose end was deleted: they go on in the next one.
        self._carried = ""

    def read(self, parent: etree._Element) -> None:
        for child in parent:
            if child.tag == W + "p":
                self._paragraph(child)
            elif child.tag == W + "tbl":
                self._table(child)
            elif (inner := inside(child)) is not None:
                self.read(inner)
            elif child.tag in TRANSPARENT:
                self.read(child)

    def end(self) -> None:
        """Writes what is still to be written."""
        if self._carried:
            self._write(self._carried, Style())
            self._carried = ""
        self._write_notes()

    def inner(self, parent: etree._Element) -> str:
        """The Markdown of a stretch inside this one: a cell, a note. It begins no page."""
        story = Story(styles=self._styles, numbering=self._numbering, notes=self._notes, links=self._links)
        story.read(parent)
        if story._carried:
            story._write(story._carried, Style())
        return story.pages[0].markdown()

    def _paragraph(self, element: etree._Element) -> None:
        properties = element.find(W + "pPr")
        style = self._styles.paragraph(properties)
        if style.breaks_page:
            self._new_page()
        line = Line(self._styles, self._links, self._notes.mark, self._fields, hidden=style.hidden)
        line.read(element)
        # An instruction that is never ended would swallow the rest of the document.
        self._fields[:] = [False] * len(self._fields)
        text = self._carried + line.text
        self._carried = text if _ends_deleted(properties) else ""
        if not self._carried:
            self._write(text, style)
        for box in line.boxes:
            self._add(self.inner(box))
        if properties is not None and properties.find(W + "sectPr") is not None and next(self._sections, False):
            self._new_page()

    def _write(self, text: str, style: Style) -> None:
        text = MARK_BEFORE_SIGN.sub(r"\2\1", text)
        label = self._label(style)
        for position, piece in enumerate(text.split(PAGE_BREAK)):
            if position:
                self._new_page()
                label = ""
            piece = piece.strip()
            if not piece:
                continue
            if style.level:
                self._add(heading(f"{label} {piece}", level=style.level))
            elif label:
                self.pages[-1].add(_item(piece, label, style), item=True)
            else:
                self._add(paragraph(piece))

    def _label(self, style: Style) -> str:
        if not style.list_id:
            return ""
        label = self._numbering.label(style.list_id, style.list_level)
        return "" if style.level and label == BULLET else label

    def _add(self, text: str) -> None:
        self.pages[-1].add(text)

    def _new_page(self) -> None:
        """Where there is nothing yet no page ends: two breaks one after the other are one."""
        if self._is_body and self.pages[-1]:
            self._write_notes()
            self.pages.append(Blocks())

    def _write_notes(self) -> None:
        for mark, element in self._notes.take():
            self._add(indented(f"{mark}: {self.inner(element)}", by=NOTE_INDENT))

    def _table(self, element: etree._Element) -> None:
        table = Table()
        table.layout = element.find(f".//{W}tbl") is not None
        for row in _within(element, W + "tr"):
            properties = row.find(W + "trPr")
            if properties is not None and properties.find(W + "del") is not None:
                continue
            table.row()
            for cell in _within(row, W + "tc"):
                table.cell(self.inner(cell), columns=number(value(cell.find(f"{W}tcPr/{W}gridSpan"))) or 1)
        table.add_to(self.pages[-1])


def _item(text: str, label: str, style: Style) -> str:
    indent = INDENT * style.list_level
    return " " * indent + indented(item(text, marker=label), by=indent)


def _ends_deleted(properties: etree._Element | None) -> bool:
    """Whether the end of this paragraph is a tracked deletion, or was moved away."""
    mark = None if properties is None else properties.find(W + "rPr")
    return mark is not None and (mark.find(W + "del") is not None or mark.find(W + "moveFrom") is not None)


def _within(parent: etree._Element, tag: str) -> Iterator[etree._Element]:
    """The rows of a table or the cells of a row, those in content controls too."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif (inner := inside(child)) is not None:
            yield from _within(inner, tag)
        elif child.tag in TRANSPARENT:
            yield from _within(child, tag)


def section_breaks(body: etree._Element) -> list[bool]:
    """Of each section but the last, whether a new page begins after it: the next one's properties say so."""
    sections = [each for each in body.iter(W + "sectPr") if each.getparent().tag != W + "sectPrChange"]
    return [value(each.find(W + "type")) in NEW_PAGE for each in sections[1:]]
