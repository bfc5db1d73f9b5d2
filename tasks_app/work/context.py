"""What a kind sees of its task."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, overload
from uuid import UUID

from django.tasks import TaskResult, task_backends

from tasks_app.exceptions import AttemptTimeUp, CancelRequested, NotOwner
from tasks_app.lifecycle.rows import is_stop_requested
from tasks_app.lifecycle.steps import set_message, set_total
from tasks_app.lifecycle.useful import useful_seconds
from tasks_app.models import AttemptRef, StepResult, Task

from .async_context import LOOK_SECONDS, AsyncContext
from .calls import Ledger
from .interruption import InFlight, Interruption
from .lanes import run_lanes
from .persist import persist
from .steps import Item, Step, StepBook


class Context(Ledger, AsyncContext):
    """One attempt of one task: its steps, its progress, its limits. Safe to use from the lanes of a map."""

    def __init__(
        self,
        task: Task,
        *,
        workdir: Path,
        limit_seconds: float,
        interruption: Interruption | None = None,
        retry_on: tuple[type[Exception], ...] = (),
    ) -> None:
        """`interruption`: by which others stop it. `retry_on`: errors that may pass, by what the kind says."""
        self.ref = AttemptRef(task.pk, task.attempt)
        self.kind = task.kind
        self._workdir = workdir
        self.max_tries = task.max_attempts
        self.call_seconds = task.call_limit.total_seconds()
        self.retry_on = retry_on
        self.interruption = interruption or Interruption()
        self._useful = useful_seconds(limit_seconds)
        self._ends_at = time.monotonic() + limit_seconds
        self._book = StepBook(self, floor=task.attempts_floor)

    @property
    def workdir(self) -> Path:
        """A folder of this attempt alone, gone after its end; made when it is first asked for."""
        self._workdir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._workdir

    @property
    def task_id(self) -> UUID:
        return self.ref.task_id

    @property
    def attempt(self) -> int:
        return self.ref.number

    @property
    def task_result(self) -> "TaskResult[..., Any]":
        """As Django's own context has it."""
        return task_backends["default"].get_result(str(self.task_id))

    @property
    def visited(self) -> int:
        """Number of step indexes used so far."""
        return self._book.next_index

    def time_left(self) -> float:
        """Seconds that this attempt may still use."""
        return self._ends_at - time.monotonic()

    def is_time_up(self) -> bool:
        return self.time_left() <= self._useful

    def has_time_after(self, seconds: float) -> bool:
        """Whether a wait that long leaves enough of the attempt to begin anything after it."""
        return self.time_left() - seconds > self._useful

    def checkpoint(self) -> None:
        """Raises where the attempt should stop: cancelled, handing over, out of time, or its task no longer its own."""
        self._raise_if_unwanted()
        if self.is_time_up():
            raise AttemptTimeUp
        is_requested = persist(lambda: is_stop_requested(self.ref), time_left=self.time_left)
        if is_requested is None:
            raise NotOwner(str(self.ref))
        if is_requested:
            # Asked, so that other lanes' calls end too.
            self.interruption.ask(CancelRequested())
            self.interruption.raise_if_asked()

    def sleep(self, seconds: float) -> None:
        """Wait, and stop waiting where the attempt should stop."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.checkpoint()
            self.interruption.wait(min(left, LOOK_SECONDS))
        self.interruption.raise_if_asked()

    def rest(self, seconds: float) -> None:
        """Wait that long, and stop waiting as soon as somebody says so; the database is not asked."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._raise_if_unwanted()
            self.interruption.wait(min(left, LOOK_SECONDS))
        self._raise_if_unwanted()

    def _raise_if_unwanted(self) -> None:
        if self.is_abandoned:
            raise asyncio.CancelledError
        self.interruption.raise_if_asked()

    def progress(self, *, total: int | None = None, message: str | None = None) -> None:
        """Tell the user: how many items there will be, and what is being done."""
        if total is not None:
            persist(lambda: set_total(self.ref, total), time_left=self.time_left)
        if message is not None:
            persist(lambda: set_message(self.ref, message), time_left=self.time_left)

    def step(self, name: str, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """The result of `function(*arguments, **keywords)`, executed once in the life of the task.

        The result is JSON; the arguments are JSON too, but for a document and the context itself. The function may be
        `async def`.
        Raises StepFailed, or what the function raised.
        """
        step = Step(self._book.reserve(1), name, (function, arguments, keywords), is_item=False)
        return self._book.result(step).value_or_raise()

    @overload
    def map(
        self, name: str, function: Callable[[Any], Any], items: Sequence[Any], *, concurrency: int = ...
    ) -> list[Any]: ...
    @overload
    def map(
        self,
        name: str,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        concurrency: int = ...,
        failures: Literal["collect"],
    ) -> list[Item]: ...
    def map(
        self,
        name: str,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        concurrency: int = 1,
        failures: Literal["raise", "collect"] = "raise",
    ) -> list[Any]:
        """`function(item)` for each item, several side by side; each a step of its own. Results in order.

        `items`: sized, possibly lazy. `failures`: "raise" stops at the first failed item, "collect" keeps its reason
        and goes on; the results are then Items.
        """
        base = self._book.reserve(len(items))
        self.progress(total=self._book.count_items(len(items)))
        collect = failures == "collect"

        def perform(position: int) -> Any:
            step = Step(base + position, name, (function, (items[position],), {}), is_item=True)
            item = self._book.result(step, collect=collect)
            return item if collect else item.value_or_raise()

        return run_lanes(perform, len(items), lanes=concurrency, loop=self.loop)

    def in_flight(self, call: InFlight) -> AbstractContextManager[None]:
        """Meanwhile a stop shuts `call` down, which waits for the outside."""
        return self.interruption.in_flight(call)

    def done_steps(self) -> dict[int, StepResult]:
        rows = StepResult.objects.current().filter(task_id=self.task_id)
        found = persist(lambda: list(rows.defer("value")), time_left=self.time_left)
        return {row.index: row for row in found}

    @property
    def step_key(self) -> str:
        return "context"
