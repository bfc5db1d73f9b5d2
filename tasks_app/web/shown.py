"""A task and its steps as the templates want them: the API's objects, and what the page says about them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tasks_app import presentation
from tasks_app.models import FINAL, ErrorCode, Task

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
        sentence = words.FAILURES.get(self._failure) or words.WAITS.get(self._wait) or words.SENTENCES[self.state]
        return f"{sentence} {words.KEPT}" if self.state in {"failed", "cancelled"} and self.has_results else sentence

    @property
    def _failure(self) -> str:
        return str(self.data["error"]["code"]) if self.state == "failed" else ""

    @property
    def _wait(self) -> str:
        return str(self.data["waiting"]["reason"]) if self.data["waiting"] else ""

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
    def needs_password(self) -> bool:
        return self.is_hopeless and words.IS_LOCKED in self.data["error"]["message"]

    @property
    def can_do_whole(self) -> bool:
        """Only some pages were asked for, and there is something that may make one want the rest."""
        given: dict[str, Any] = self.data["input"]
        return bool(given.get("pages") and self.data["document"] and self.is_final and self.has_results)

    @property
    def uses_model(self) -> bool:
        return bool(self.data["queue"] == "gpu" or self.data["usage"]["calls"])

    @property
    def is_uncounted(self) -> bool:
        """Over, with no parts that could be counted."""
        return self.is_final and not self.data["progress"]["total"]

    @property
    def name(self) -> str:
        return str(self.data["document"]["name"] if self.data["document"] else words.title(self.data["kind"]))

    @property
    def size(self) -> str:
        return words.size(self.data["document"]["size"]) if self.data["document"] else ""

    @property
    def what(self) -> str:
        """ "Summary · about the whole · pages 1-3"; of a task without a document, its kind."""
        given: dict[str, Any] = self.data["input"]
        if not self.data["document"]:
            return str(self.data["kind"])
        each = words.EACH.get(given.get("unit") or "", "")
        pages = given.get("pages") or ""
        return " · ".join(text for text in (self._wish, each, pages and page_range(str(pages))) if text)

    @property
    def _wish(self) -> str:
        given: dict[str, Any] = self.data["input"]
        preset = given.get("preset") or ""
        if preset == "own":
            return str(given.get("instruction", ""))
        wish = words.PRESETS.get(preset) or words.title(self.data["kind"])
        return f"{wish} to {given.get('language', '')}" if preset == "translate" else wish

    @property
    def counted(self) -> str:
        """ "34 of 200 pages", or nothing while the total is unknown."""
        done, total = self.data["progress"]["done"], self.data["progress"]["total"]
        unit = words.UNITS.get(self.data["input"].get("unit") or self.data["kind"], words.UNITS["chunk"])
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
        return words.duration((until - self.task.started_at).total_seconds())

    @property
    def attempts(self) -> str:
        return f"{self.data['attempts']} of {self.data['max_attempts']}"

    @property
    def calls(self) -> str:
        return f"{self.data['usage']['calls']:,}"

    @property
    def tokens(self) -> str:
        usage = self.data["usage"]
        return f"{usage['prompt_tokens']:,} in, {usage['completion_tokens']:,} out"

    @property
    def spending(self) -> str:
        """What the numbers of calls and tokens do not tell, as far as there is any."""
        usage = self.data["usage"]
        told = [words.several(forms, usage[name]) for name, forms in words.SPENDING.items() if usage[name]]
        return " · ".join(told)

    @property
    def download_label(self) -> str:
        return words.DOWNLOADS[self.data["status"] if self.is_final else "active"]

    @property
    def scratch_cost(self) -> str:
        """What a start from scratch throws away, and pays again."""
        cost = self.data["scratch"]
        reused = self.task.reused_now
        told = [words.SCRATCH["thrown"]] if self.has_results else []
        told.append(_paid(cost) if cost and cost["calls"] else words.SCRATCH["again"])
        return " ".join([*told, words.several(words.REUSED, reused)] if reused else told)

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

    @property
    def is_about_whole(self) -> bool:
        return bool(self.data["input"].get("unit") == "whole")

    @property
    def no_whole(self) -> str:
        """Instead of the answer about the whole; nothing where none is to be expected."""
        if not self.is_about_whole or (self.is_final and not self.has_results):
            return ""
        return words.WHOLE["final" if self.is_final else "active"]


def _paid(cost: dict[str, int]) -> str:
    calls = words.several(words.CALLS, cost["calls"])
    tokens = words.about(cost["prompt_tokens"] + cost["completion_tokens"])
    return words.SCRATCH["paid" if tokens else "unknown"].replace("{calls}", calls).replace("{tokens}", f"{tokens:,}")


def page_range(pages: str) -> str:
    """What was asked for, as "1-3": with the word before it."""
    return f"page {pages}" if pages.isdecimal() else f"pages {pages}"


def show(task: Task) -> ShownTask:
    return ShownTask(task, presentation.task_object(task))


def show_all(tasks: list[Task]) -> list[ShownTask]:
    return [ShownTask(task, data) for task, data in zip(tasks, presentation.task_objects(tasks), strict=True)]
