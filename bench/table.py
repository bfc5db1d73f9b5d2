"""The figures of one part on one database, as a table for people: on a terminal and in Markdown."""

from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self

HEADS = ("what", "measured", "ratio", "aim", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`is_met`: None where nothing is aimed at."""

    what: str
    measured: str
    ratio: str = ""
    aim: str = ""
    is_met: bool | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        verdict = {None: "", True: "met", False: "missed"}[self.is_met]
        return (self.what, self.measured, self.ratio, self.aim, verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`how`: what was measured and under which settings, in a sentence or two."""

    title: str
    how: str
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        return cls(title=kept["title"], how=kept["how"], rows=[Row(**row) for row in kept["rows"]])

    def for_terminal(self) -> str:
        lines = [HEADS, *(row.cells for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        laid_out = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([f"== {self.title}", self.how, "", *laid_out, ""])

    def for_markdown(self) -> str:
        cells = chain([HEADS, ("---",) * len(HEADS)], (row.cells for row in self.rows))
        return "\n".join([f"### {self.title}", "", self.how, "", *(f"| {' | '.join(line)} |" for line in cells), ""])
