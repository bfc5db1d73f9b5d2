"""The labels of list items and numbered headings, as Word shows them: "1.", "2.3", "b)"."""

import re
from dataclasses import dataclass

from lxml import etree

from .names import W, number, value

BULLET = "-"
ROMAN = [(1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")]
ROMAN += [(10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")]
LEVELS = 9


@dataclass(frozen=True, slots=True)
class Level:
    """`text` holds "%1" to "%9" where the numbers of the levels go."""

    form: str
    text: str
    start: int


class Numbering:
    """Counts along: the labels must be asked for in the document's order."""

    def __init__(self, root: etree._Element | None) -> None:
        """`root`: of the numbering part, None without one."""
        patterns = [] if root is None else root.findall(W + "abstractNum")
        linked = {value(link): each for each in patterns if (link := each.find(W + "styleLink")) is not None}
        levels = {
            value(each, "abstractNumId"): _levels(linked.get(value(each.find(W + "numStyleLink")), each))
            for each in patterns
        }
        self._pattern = {
            value(each, "numId"): value(each.find(W + "abstractNumId"))
            for each in ([] if root is None else root.findall(W + "num"))
        }
        self._levels = levels
        self._counts: dict[str, list[int]] = {}
        self._restarts = {
            value(each, "numId")
            for each in ([] if root is None else root.findall(W + "num"))
            if each.find(f"{W}lvlOverride/{W}startOverride") is not None
        }

    def label(self, list_id: str, list_level: int) -> str:
        """BULLET, a label as Word shows it, or "" for a list that shows none."""
        pattern = self._pattern.get(list_id, "")
        levels = self._levels.get(pattern, {})
        level = levels.get(list_level)
        if level is None:
            return BULLET
        counts = self._count(pattern, list_id, list_level, levels)
        if level.form in {"bullet", "none"}:
            return BULLET if level.form == "bullet" else ""
        return re.sub(
            "%([1-9])", lambda found: _shown(counts[int(found[1]) - 1], levels, int(found[1]) - 1), level.text
        )

    def _count(self, pattern: str, list_id: str, list_level: int, levels: dict[int, Level]) -> list[int]:
        if list_id in self._restarts:
            self._restarts.discard(list_id)
            self._counts.pop(pattern, None)
        starts = [levels[each].start if each in levels else 1 for each in range(LEVELS)]
        counts = self._counts.setdefault(pattern, [start - 1 for start in starts])
        counts[list_level] += 1
        counts[list_level + 1 :] = [start - 1 for start in starts[list_level + 1 :]]
        return [max(count, start) for count, start in zip(counts, starts, strict=True)]


def _levels(pattern: etree._Element) -> dict[int, Level]:
    return {
        number(value(each, "ilvl")) or 0: Level(
            form=value(each.find(W + "numFmt")) or "decimal",
            text=value(each.find(W + "lvlText")),
            start=max(number(value(each.find(W + "start"))) or 0, 0),
        )
        for each in pattern.findall(W + "lvl")
        if (number(value(each, "ilvl")) or 0) in range(LEVELS)
    }


def _shown(count: int, levels: dict[int, Level], list_level: int) -> str:
    match levels[list_level].form if list_level in levels else "decimal":
        case "lowerLetter":
            return _letters(count)
        case "upperLetter":
            return _letters(count).upper()
        case "lowerRoman":
            return _roman(count)
        case "upperRoman":
            return _roman(count).upper()
    return str(count)


def _letters(count: int) -> str:
    """a to z, then aa, bb."""
    return chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 10) if count > 0 else ""


def _roman(count: int) -> str:
    if count >= 4000:
        return str(count)
    shown = ""
    for worth, sign in ROMAN:
        times, count = divmod(count, worth)
        shown += sign * times
    return shown
