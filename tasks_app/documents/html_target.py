"""What the parser of an HTML page calls: element by element, the page becomes Markdown."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .errors import TooMuchText
from .markdown import Blocks, Table, fenced, heading, item, link, paragraph, quote, raised

# Deeper ones are read as if they were not there: each level writes its text anew.
MAX_DEPTH = 30

SKIPPED = {
    *("script", "style", "template", "noscript", "iframe", "object", "canvas"),
    *("select", "datalist", "noframes", "noembed", "annotation"),
}
CONTAINERS = {"ul", "ol", "li", "blockquote", "table", "td", "th"}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    *CONTAINERS,
    *HEADINGS,
    *("address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "menu"),
    *("nav", "p", "pre", "section", "summary", "tbody", "tfoot", "thead", "tr"),
}
SPACE = re.compile("[ \t\n\r\f]+")
SPACES = re.compile(" {2,}")
LINE_END = re.compile(" *\n *")
HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)


@dataclass(slots=True)
class Frame:
    """An open element that holds blocks. `number`: of an ordered list's last item."""

    tag: str
    blocks: Blocks = field(default_factory=Blocks)
    table: Table = field(default_factory=Table)
    columns: int = 1
    rows: int = 1
    number: int = 0


class PageTarget:
    """Calls come balanced: libxml2 closes what a page left open. `markdown` stands after `close`."""

    def __init__(self, max_characters: int) -> None:
        self.markdown = ""
        self._limit = max_characters
        self._left = max_characters
        self._frames = [Frame("page")]
        self._too_deep = 0
        self._inline: list[str] = []
        # Where in `_inline` an open link or raised text begins, with the link's address; None: too deep to matter.
        self._opened: list[tuple[int, str] | None] = []
        self._skipping = 0
        self._in_title = False
        self._titles: list[str] = []
        self._preformatted = 0

    @property
    def title(self) -> str:
        """The first: pictures in the page have titles too."""
        return self._titles[0] if self._titles else ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or tag in SKIPPED or _hidden(attributes):
            self._skipping += 1
        elif tag == "title":
            self._in_title = True
            self._titles.append("")
        else:
            self._start(tag, attributes)

    def end(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif tag == "title":
            self._in_title = False
        else:
            self._end(tag)

    def data(self, text: str) -> None:
        if self._skipping:
            return
        if self._in_title:
            self._titles[-1] += text
        else:
            self._inline.append(text if self._preformatted else SPACE.sub(" ", text))

    def comment(self, text: str) -> None:
        """Left out."""

    def close(self) -> None:
        self._flush()
        while len(self._frames) > 1:
            self._close_frame()
        self.markdown = self._frames[0].blocks.markdown()

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in BLOCKS:
            self._flush()
        if tag in CONTAINERS:
            self._open_frame(tag, attributes)
        elif tag == "tr":
            self._frames[-1].table.row()
        elif tag == "pre":
            self._preformatted += 1
        elif tag in {"a", "sup"}:
            here = (len(self._inline), attributes.get("href", ""))
            self._opened.append(here if len(self._opened) < MAX_DEPTH else None)
        elif tag == "br":
            self._inline.append("\n")

    def _end(self, tag: str) -> None:
        if tag in {"a", "sup"} and self._opened:
            self._close_inline(tag)
        elif tag in HEADINGS:
            self._flush(lambda text: heading(text, level=HEADINGS[tag]))
        elif tag == "pre":
            self._preformatted -= 1
            self._flush(fenced, strip="\n")
        elif tag in BLOCKS:
            self._flush()
        if tag in CONTAINERS:
            self._end_container(tag)

    def _open_frame(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._too_deep or len(self._frames) > MAX_DEPTH:
            self._too_deep += 1
        else:
            columns, rows = _number(attributes.get("colspan")), _number(attributes.get("rowspan"))
            self._frames.append(Frame(tag, columns=columns, rows=rows))

    def _end_container(self, tag: str) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif self._frames[-1].tag == tag:
            self._close_frame()

    def _close_frame(self) -> None:
        frame = self._frames.pop()
        outer = self._frames[-1]
        text = frame.blocks.markdown(tight=frame.tag == "li")
        if frame.tag == "li":
            outer.number += 1
            marker = f"{outer.number}." if outer.tag == "ol" else "-"
            outer.blocks.add(item(text, marker=marker) if text else "", item=True)
        elif frame.tag == "blockquote":
            outer.blocks.add(quote(text))
        elif frame.tag == "table":
            outer.blocks.extend(frame.blocks)
            frame.table.add_to(outer.blocks)
            self._lay_out()
        elif frame.tag in {"td", "th"} and outer.tag == "table":
            outer.table.cell(text, columns=frame.columns, rows=frame.rows)
        else:
            outer.blocks.add(text, item=outer.tag == "li")

    def _lay_out(self) -> None:
        """A table around the one that was just closed is no table of data."""
        for frame in self._frames:
            frame.table.layout = True

    def _close_inline(self, tag: str) -> None:
        opened = self._opened.pop()
        if opened is None:
            return
        start, address = opened
        text = "".join(self._inline[start:])
        before = self._inline[start - 1] if start else ""
        self._inline[start:] = [raised(text, after=before) if tag == "sup" else link(text, address)]

    def _flush(self, form: Callable[[str], str] = paragraph, *, strip: str = " \n") -> None:
        """What stands in the line becomes a block. A link that is open over a block's border loses its address."""
        text = "".join(self._inline).strip(strip)
        self._inline.clear()
        self._opened.clear()
        if not text or text.isspace():
            return
        if not self._preformatted and form is not fenced:
            text = LINE_END.sub("\n", SPACES.sub(" ", text))
        self._left -= len(text)
        if self._left < 0:
            raise TooMuchText(limit=self._limit)
        self._frames[-1].blocks.add(form(text))


def _hidden(attributes: Mapping[str, str]) -> bool:
    return bool(attributes) and ("hidden" in attributes or bool(HIDING.search(attributes.get("style") or "")))


def _number(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,4}", text.strip(), re.ASCII) else 1
