"""Steps: executed once, kept under (task, index), found again by their key."""

import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import connection

from tasks_app.exceptions import InvalidInput, LonghaulError, PermanentError, StepFailed, StepInsideStep
from tasks_app.lifecycle.connection import is_of_a_test
from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.lifecycle.tries import Tried, counted_tries
from tasks_app.models import StepResult, StepStatus
from tasks_app.text import clean

from .coroutines import call
from .persist import persist
from .soft_limit import shielded
from .tries import Tries
from .values import as_json, digest, preview, stored

if TYPE_CHECKING:
    from .context import Context

logger = logging.getLogger(__name__)

# The index of the step that is executed here: in this thread, or in what it awaits.
IN_HAND: ContextVar[int | None] = ContextVar("IN_HAND", default=None)

type Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class StepInsideTransaction(LonghaulError):
    """A step began inside `transaction.atomic()`: its result would be kept only when that commits."""

    code = "step_inside_transaction"

    def __init__(self) -> None:
        super().__init__("A step cannot begin inside a transaction: use `transaction.atomic()` inside the step.")


@dataclass(frozen=True, slots=True)
class Step:
    index: int
    name: str
    call: Call
    is_item: bool


@dataclass(frozen=True, slots=True)
class Item:
    """How one step or item ended: its value, or the reason why there is none. `error`: where it failed just now."""

    index: int
    value: Any = None
    error_code: str = ""
    error_text: str = ""
    error: LonghaulError | None = None

    @property
    def failed(self) -> bool:
        return bool(self.error_code)

    def value_or_raise(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class StepBook:
    """The steps of one attempt: hands out indexes, finds finished steps, executes and saves the others."""

    def __init__(self, context: "Context", *, floor: int) -> None:
        self.next_index = 0
        self._items_seen = 0
        self._context = context
        self._floor = floor
        self._done: dict[int, StepResult] | None = None
        self._tried: Tried = {}

    @property
    def index_in_hand(self) -> int | None:
        """The index of the step that is executed here."""
        return IN_HAND.get()

    def reserve(self, count: int) -> int:
        """The first of `count` new indexes: fixed before any of them starts.

        Raises StepInsideStep, StepInsideTransaction.
        """
        if self.index_in_hand is not None:
            raise StepInsideStep("A step cannot begin inside a step: begin it in the kind's own function.")
        if connection.in_atomic_block and not is_of_a_test(connection):
            raise StepInsideTransaction
        base, self.next_index = self.next_index, self.next_index + count
        if self._done is None:
            self._tried = self._tried_before()
            self._done = self._context.done_steps()
        return base

    def _tried_before(self) -> Tried:
        """What attempts before this one tried in vain; the first since the last manual retry need not look."""
        ref = self._context.ref
        if ref.number <= self._floor + 1:
            return {}
        return persist(lambda: counted_tries(ref.task_id), time_left=self._context.time_left)

    def count_items(self, count: int) -> int:
        """How many items the maps of this attempt have so far, these included."""
        self._items_seen += count
        return self._items_seen

    def result(self, step: Step, *, collect: bool = False) -> Item:
        """The kept result where input and name are the same, else the result of executing it now."""
        function, arguments, keywords = step.call
        partial_input = [getattr(function, "args", ()), getattr(function, "keywords", {})]
        key = digest(step.index, self._context.kind, step.name, partial_input, arguments, keywords)
        kept = (self._done or {}).get(step.index)
        if kept is not None and kept.key == key and (item := self._kept_item(kept, collect=collect)):
            return item
        return self._execute(step, key, collect=collect)

    def _kept_item(self, kept: StepResult, *, collect: bool) -> Item | None:
        if kept.status == StepStatus.SUCCEEDED:
            return self._kept_value(kept)
        # A failure counts until somebody retries the task by hand.
        if collect and kept.attempt > self._floor:
            return Item(kept.index, None, kept.error_code, kept.error_text)
        return None

    def _kept_value(self, kept: StepResult) -> Item | None:
        try:
            return Item(kept.index, persist(kept.load, time_left=self._context.time_left))
        except (FileNotFoundError, ValueError):
            # Its file is gone from the store or broken: executed again, which costs, but without it nothing goes on.
            logger.warning("the stored result of %s is gone, the step is executed again", kept)
            return None

    def _execute(self, step: Step, key: str, *, collect: bool) -> Item:
        self._context.checkpoint()
        began = time.monotonic()
        function, arguments, keywords = step.call
        tries = self._tries(step, key)
        hand = IN_HAND.set(step.index)
        try:
            value = as_json(tries.perform(lambda: call(function, *arguments, **keywords)))
        except (InvalidInput, PermanentError, StepFailed) as error:
            if not collect:
                raise
            item = _failed(step.index, error)
        else:
            item = Item(step.index, value)
        finally:
            IN_HAND.reset(hand)
        duration = time.monotonic() - began
        # A file that was written is named by its row, whatever the time is by then.
        with shielded():
            self._save(step, key, item, tries=tries.count, duration=duration)
        return item

    def _tries(self, step: Step, key: str) -> Tries:
        tried_key, tried = self._tried.get(step.index, ("", 0))
        count = tried if tried_key == key else 0
        return Tries(context=self._context, name=step.name, index=step.index, key=key, count=count)

    def _save(self, step: Step, key: str, item: Item, *, tries: int, duration: float) -> None:
        ref = self._context.ref
        value = {"value": _place(step)} if item.failed else self._stored(step, item.value)
        record = StepRecord(
            index=step.index,
            name=step.name,
            key=key,
            is_item=step.is_item,
            status=StepStatus.FAILED if item.failed else StepStatus.SUCCEEDED,
            tries=tries,
            duration_seconds=duration,
            error_code=item.error_code,
            error_text=item.error_text,
            value=value,
        )
        persist(lambda: save_step(ref, record), time_left=self._context.time_left)

    def _stored(self, step: Step, value: Any) -> dict[str, Any]:
        ref = self._context.ref
        columns = stored(value, name=f"{ref.task_id}/{step.index}-{ref.number}")
        # Items are shown while the task is watched, by a process that must not open large files for it.
        return columns | {"value": preview(value)} if columns["value_file"] and step.is_item else columns


def _place(step: Step) -> dict[str, Any] | None:
    """What a failed item stands for, where its input says so: the result can name it then."""
    _, arguments, _ = step.call
    item = arguments[0] if step.is_item else None
    if not isinstance(item, dict) or "pages" not in item:
        return None
    return {name: item[name] for name in ("pages", "parts", "whole") if name in item}


def _failed(index: int, error: LonghaulError) -> Item:
    reason = error.cause if isinstance(error, StepFailed) else error
    return Item(index, None, reason.code, clean(str(reason)), error)
