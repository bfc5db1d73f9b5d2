"""A step as the templates want it. The scripts say the same from the same object (static/web/steps.js)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tasks_app.models import StepStatus

from . import words


@dataclass(frozen=True, slots=True)
class ShownStep:
    """`data`: the API's object; `unit`: of the task's input; `number`: of an item, its place among them from 1."""

    data: dict[str, Any]
    unit: str
    number: int

    @property
    def label(self) -> str:
        if not self.data["is_item"]:
            return words.STEPS.get(self.data["name"]) or str(self.data["name"])
        if self.data["parts"]:
            return f"{span('Page', self.data['pages']) or span('Part', self.data['parts'])} together"
        if self.unit != "chunk" and self.data["pages"]:
            return span("Page", self.data["pages"])
        return f"Part {self.number}"

    @property
    def place(self) -> str:
        """Where a part of several pages comes from."""
        return span("Page", self.data["pages"]) if self.data["is_item"] and self.unit == "chunk" else ""

    @property
    def is_above(self) -> bool:
        """What it says stands above the list."""
        return bool(self.data["whole"] and self.data["status"] != StepStatus.FAILED)

    @property
    def said(self) -> str:
        """What an item says; of another step, and of an item that failed, nothing is shown."""
        if not self.data["is_item"] or self.data["status"] == StepStatus.FAILED:
            return ""
        value = self.data["value"]
        if self.data["text"] or value is None:
            return self.data["text"] or ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)

    @property
    def text(self) -> str:
        return words.ABOVE if self.is_above else self.said

    @property
    def unread(self) -> list[str]:
        """Of the step that tells it: the pages that gave no text, and why."""
        value = self.data["value"]
        pages = value.get("unread") if isinstance(value, dict) and self.data["name"] == "unread" else None
        return [f"{span('Page', page['pages'])}: {page['error']}" for page in pages or []]

    @property
    def is_cut(self) -> bool:
        return bool(self.data["is_item"] and self.data["cut"])

    @property
    def seconds(self) -> str:
        return f"{self.data['duration_seconds']:.1f} s"


def show_steps(steps: Iterable[dict[str, Any]], *, unit: str, others: int) -> Iterator[ShownStep]:
    """`others`: how many steps before these are no items."""
    for data in steps:
        others += not data["is_item"]
        yield ShownStep(data, unit, data["index"] + 1 - others)


def span(word: str, numbers: list[int] | None) -> str:
    """ "Page 3" or "Pages 3–5". `numbers`: first and last."""
    if not numbers:
        return ""
    first, last = numbers[0], numbers[-1]
    return f"{word} {first}" if first == last else f"{word}s {first}–{last}"
