"""A task and its steps as the templates want them: the API's objects, and what the page says about them."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tasks_app import presentation
from tasks_app.models import FINAL, ErrorCode, StepStatus, Task

from . import words


@dataclass(frozen=True, slots=True)
class ShownTask:
    """`data`: the API's object. The scripts say the same from the same object (static/web/words.js)."""

    task: Task
    data: dict[str, Any]

    @property
    def state(self) -> str:
        """The status, or `stopping`, or `partly`: a key of words.STATES."""
        status: str = self.data["status"]
        if status == "running" and self.data["stopping"]:
            return "stopping"
        if status == "succeeded" and self.data["failed_items"]:
            return "partly"
        return status

    @property
    def word(self) -> str:
        return words.STATES[self.state]

    @property
    def sentence(self) -> str:
        if self.data["waiting"] and self.data["started_at"]:
            return words.BEGUN
        sentence = words.SENTENCES[self.state]
        return f"{sentence} {words.KEPT}" if self.state in {"failed", "cancelled"} and self.has_results else sentence

    @property
    def is_final(self) -> bool:
        return self.data["status"] in FINAL

    @property
    def has_results(self) -> bool:
        return bool(self.data["progress"]["done"])

    @property
    def is_hopeless(self) -> bool:
        """The same input can never succeed: another file can."""
        return bool(self.data["error"] and self.data["error"]["code"] == ErrorCode.INVALID_INPUT)

    @property
    def is_uncounted(self) -> bool:
        """Over, with no parts that could be counted."""
        return self.is_final and not self.data["progress"]["total"]

    @property
    def name(self) -> str:
        return str(self.data["document"]["name"] if self.data["document"] else self.data["kind"])

    @property
    def size(self) -> str:
        return words.size(self.data["document"]["size"]) if self.data["document"] else ""

    @property
    def what(self) -> str:
        given: dict[str, Any] = self.data["input"]
        preset = given.get("preset")
        wish = given.get("instruction", "") if preset == "own" else words.PRESETS.get(preset or "", self.data["kind"])
        if preset == "translate":
            wish = f"{wish} to {given.get('language', '')}"
        unit = given.get("unit")
        return f"{wish} · {words.EACH.get(unit, '')}" if unit else wish

    @property
    def counted(self) -> str:
        """ "34 of 200 pages", or nothing while the total is unknown."""
        done, total = self.data["progress"]["done"], self.data["progress"]["total"]
        unit = words.UNITS.get(self.data["input"].get("unit"), words.UNITS["chunk"])
        return f"{done:,} of {total:,} {unit}" if total else ""

    @property
    def percent(self) -> int:
        """For the bar: empty while nothing is known; one with gaps is done and not full."""
        progress = self.data["progress"]
        if self.state == "partly":
            return int(progress["done"] * 100 // progress["total"])
        return progress["percent"] or 0

    @property
    def elapsed(self) -> str:
        """Since the first start, or from it to the end."""
        if self.task.started_at is None:
            return "–"
        until = self.task.finished_at or datetime.now(UTC)
        return duration((until - self.task.started_at).total_seconds())

    @property
    def attempts(self) -> str:
        return f"{self.data['attempts']} of {self.data['max_attempts']}"

    @property
    def calls(self) -> str:
        usage = self.data["usage"]
        doubt = f" ({usage['in_doubt']:,} in doubt)" if usage["in_doubt"] else ""
        return f"{usage['calls']:,}{doubt}"

    @property
    def tokens(self) -> str:
        usage = self.data["usage"]
        return f"{usage['prompt_tokens']:,} in, {usage['completion_tokens']:,} out"

    @property
    def download_label(self) -> str:
        return words.DOWNLOADS[self.data["status"] if self.is_final else "active"]

    @property
    def scratch_cost(self) -> str:
        """What a start from scratch throws away, and pays again."""
        total: int = self.data["progress"]["total"]
        calls = f"{total:,} model calls are" if total else "model calls are"
        lost = "The finished results are thrown away, and all" if self.has_results else "All"
        return f"{lost} {calls} made and paid again."

    @property
    def scratch_button(self) -> str:
        return words.SCRATCH_BUTTONS["some" if self.has_results else "none"]

    @property
    def retry_label(self) -> str:
        if self.has_results:
            return words.RETRIES["missing"]
        return words.RETRIES["again" if self.data["started_at"] else "start"]

    @property
    def no_results(self) -> str:
        return words.NO_RESULTS["final" if self.is_final else "active"]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """`data`: the API's object; `unit`: of the task's input."""

    data: dict[str, Any]
    unit: str

    @property
    def label(self) -> str:
        if not self.data["is_item"]:
            return words.STEPS.get(self.data["name"]) or str(self.data["name"])
        if self.unit == "page" and self.data["pages"]:
            return page_label(self.data["pages"])
        return f"Part {self.data['index']}"

    @property
    def place(self) -> str:
        """Where a part of several pages comes from."""
        if not self.data["is_item"] or self.unit == "page" or not self.data["pages"]:
            return ""
        return page_label(self.data["pages"])

    @property
    def text(self) -> str:
        """What an item says; of another step, and of an item that failed, nothing is shown."""
        if not self.data["is_item"] or self.data["status"] == StepStatus.FAILED:
            return ""
        value = self.data["value"]
        return self.data["text"] or (json.dumps(value, ensure_ascii=False, indent=2) if value is not None else "")

    @property
    def is_cut(self) -> bool:
        return bool(self.data["is_item"] and self.data["cut"])

    @property
    def seconds(self) -> str:
        return f"{self.data['duration_seconds']:.1f} s"


def page_label(pages: list[int]) -> str:
    """`pages`: first and last."""
    first, last = pages[0], pages[-1]
    return f"Page {first}" if first == last else f"Pages {first}–{last}"


def duration(seconds: float) -> str:
    """ "42 s", "3 min 05 s", "1 h 02 min"."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def show(task: Task) -> ShownTask:
    return ShownTask(task, presentation.task_object(task))


def show_all(tasks: list[Task]) -> list[ShownTask]:
    return [ShownTask(task, data) for task, data in zip(tasks, presentation.task_objects(tasks), strict=True)]
