"""The footnotes and endnotes of a Word document, numbered together in the order in which they are referred to."""

from lxml import etree

from .names import W, value


class Notes:
    def __init__(self, parts: dict[str, etree._Element | None]) -> None:
        """`parts`: the roots of the parts, by "footnote" and "endnote"."""
        self._notes = {
            (kind, value(note, "id")): note
            for kind, root in parts.items()
            for note in ([] if root is None else root.findall(W + kind))
        }
        self._marks: dict[tuple[str, str], str] = {}
        self._waiting: list[tuple[str, etree._Element]] = []

    def mark(self, kind: str, note_id: str) -> str:
        """ "[^1]"; the same one each time; "" for a note that is not there."""
        key = (kind, note_id)
        if key not in self._notes:
            return ""
        if key not in self._marks:
            self._marks[key] = f"[^{len(self._marks) + 1}]"
            self._waiting.append((self._marks[key], self._notes[key]))
        return self._marks[key]

    def take(self) -> list[tuple[str, etree._Element]]:
        """Those referred to since the last time, each with its mark."""
        waiting, self._waiting = self._waiting, []
        return waiting
