"""Markdown under construction, of a page or a Word document: blocks one below the other, and tables."""

import re

# Of one table: the cells that only stand for a cell beside or above them which reaches there. A page can ask for
# billions of them.
MAX_FILLED = 10_000
MAX_SPAN = 50
HEADING_LIKE = re.compile(r"^(#{1,6} )", re.M)
LINKABLE = re.compile(r"(?:https?://|mailto:)[^\s<>]{1,2000}", re.I)


class Blocks:
    """Texts with an empty line between two of them; the items of a list stand together."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, bool]] = []

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, text: str, *, item: bool = False) -> None:
        """Adds nothing where `text` is blank. `item`: it stands below another item without an empty line."""
        if text.strip():
            self._texts.append((text, item))

    def extend(self, other: "Blocks") -> None:
        self._texts += other._texts

    def markdown(self, *, tight: bool = False) -> str:
        """`tight`: no empty line before an item at all, as inside an item."""
        pieces: list[str] = []
        before = tight
        for text, item in self._texts:
            if pieces:
                pieces.append("\n" if item and (before or tight) else "\n\n")
            pieces.append(text)
            before = item
        return "".join(pieces)


class Table:
    """Cells row by row, the first row being the head."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        # Of a cell that reaches down: rows that its column still lacks.
        self._reaching: dict[int, int] = {}
        self._fillable = MAX_FILLED
        self.layout = False

    def row(self) -> None:
        self._rows.append([])

    def cell(self, text: str, *, columns: int = 1, rows: int = 1) -> None:
        """`columns`, `rows`: over how many it reaches; the others of these stay empty."""
        if not self._rows:
            self.row()
        row = self._rows[-1]
        while left := self._reaching.pop(len(row), 0):
            self._fill(row, rows=left)
        if rows > 1:
            self._reaching[len(row)] = rows - 1
        row.append(text)
        for _ in range(min(columns, MAX_SPAN) - 1):
            self._fill(row, rows=rows)

    def add_to(self, blocks: Blocks) -> None:
        """As a table, or as what is in its cells where it only lays out the page: one column, or a table in a cell."""
        rows = [row for row in self._rows if any(map(str.strip, row))]
        width = max(map(len, rows), default=0)
        if width > 1 and not self.layout:
            rows[0] += [""] * (width - len(rows[0]))
            lines = [_line(row) for row in rows]
            blocks.add("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))
            return
        for row in rows:
            for text in row:
                blocks.add(text)

    def _fill(self, row: list[str], *, rows: int) -> None:
        if self._fillable:
            self._fillable -= 1
            if rows > 1:
                self._reaching[len(row)] = rows - 1
            row.append("")


def _line(row: list[str]) -> str:
    return "| " + " | ".join(map(_in_cell, row)) + " |"


def _in_cell(text: str) -> str:
    return re.sub(r"\n+", "<br>", text.strip()).replace("|", "\\|")


def paragraph(text: str) -> str:
    """A line that only looks like a heading is kept from being one."""
    return HEADING_LIKE.sub(r"\\\1", text)


def heading(text: str, *, level: int) -> str:
    """`level` from 1; on one line. "" for a blank text."""
    line = " ".join(text.split())
    return f"{'#' * min(level, 6)} {line}" if line else ""


def item(text: str, *, marker: str) -> str:
    """With its further lines below the first one's text."""
    return indented(f"{marker} {text}", by=len(marker) + 1)


def indented(text: str, *, by: int) -> str:
    """Its lines after the first, but for empty ones, moved to the right."""
    return re.sub(r"\n(?!\n)", "\n" + " " * by, text)


def quote(text: str) -> str:
    return re.sub("^(?=.)", "> ", text, flags=re.M).replace("\n\n", "\n>\n")


def fenced(text: str) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def link(text: str, url: str) -> str:
    """The text alone where `url` leads nowhere that can be shown: into the page, or a script or data."""
    url, words = url.strip(), text.strip()
    if not words or words == url or not LINKABLE.fullmatch(url):
        return text
    target = f"<{url}>" if "(" in url or ")" in url else url
    return text.replace(words, f"[{words}]({target})")


def raised(text: str, *, after: str) -> str:
    """Superscript: a power is marked, 10^6, for 106 is another number."""
    return f"^{text}" if after[-1:].isdigit() and re.match(r"[-−+]?\d", text) else text
