"""Where a drill takes place: a house, a journal in which kinds write what they do, and the rows.

with Ground(size) as ground:
    worker = ground.house.ready_worker("gpu")
    task = ground.submit("drill.pages", count=30)
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from typing import Any, Self

import psutil  # type: ignore[import-untyped]
from django.conf import settings
from django.test import override_settings

from tasks_app.lifecycle.connection import AWAY, close_for_good
from tasks_app.lifecycle.submit import submit
from tasks_app.models import Attempt, Status, StepResult, Task
from tasks_app.processes import doorbell
from tests.support.house import BRISK, House
from tests.support.programs import Program
from tests.support.rows import make_order

from .registry import DrillFailed, Size, expect

KIND_MODULES = ("tests.support.kinds", "drill.endless", "drill.kinds")
# In a SHORT drill a worker is silent after this: one that only waits for its turn on a loaded machine is not.
SHORT_SILENCE_SECONDS = "4"
FINAL = {Status.SUCCEEDED, Status.FAILED, Status.CANCELLED}


class Ground:
    """`env`: settings of every program, over those of the size."""

    def __init__(self, size: Size, **env: str) -> None:
        self.size = size
        self.house = House(**(limits(size) | {"LONGHAUL_KIND_MODULES": ",".join(KIND_MODULES)} | env))
        self.journal = self.house.folder / "journal"
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.house)
        # Submissions of the drill itself ring the house's Redis.
        self._stack.enter_context(override_settings(REDIS_URL=self.house.redis_url))
        self._stack.callback(doorbell.ringing.cache_clear)
        doorbell.ringing.cache_clear()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    # -- Tasks

    def submit(
        self,
        kind: str,
        *,
        owner: Any = None,
        queue: str = "gpu",
        attempt_timeout: float = 300,
        deadline: float = 1800,
        run_after: datetime | None = None,
        **kwargs: Any,
    ) -> Task:
        """A task, of nobody by default, so that only its queue bounds it. Its kind is told the journal."""
        order = make_order(
            owner,
            kind=kind,
            queue=queue,
            payload={"args": [], "kwargs": {"journal": str(self.journal), **kwargs}},
            attempt_timeout=timedelta(seconds=attempt_timeout),
            deadline=timedelta(seconds=deadline),
            run_after=run_after,
        )
        return submit(order).task

    @property
    def lines(self) -> list[str]:
        """Of the journal."""
        return self.journal.read_text().splitlines() if self.journal.exists() else []

    def ended(self, task: Task, *, within: float, status: str = "succeeded") -> Task:
        """The row when it is final. Raises DrillFailed where that is another state."""

        def is_final() -> bool:
            task.refresh_from_db()
            return task.status in FINAL

        self.wait_until(is_final, within, what=f"{task.kind} has ended")
        expect(task.status == status, f"the task ended as {task.status} {task.error_text!r}, expected {status}")
        return task

    @staticmethod
    def outcomes(task: Task) -> list[str]:
        """Of its attempts, in order; "" for one that goes on."""
        return list(Attempt.objects.filter(task=task).order_by("number").values_list("outcome", flat=True))

    @staticmethod
    def saved(task: Task) -> int:
        """Its finished steps."""
        return StepResult.objects.filter(task=task).succeeded().count()

    # -- Processes

    def worker_of(self, task: Task) -> Program:
        """The program of the worker that has it in hand."""
        task.refresh_from_db()
        expect(task.worker is not None, f"no worker has {task.pk} in hand, its status is {task.status}")
        (found,) = [program for program in self.house.programs if task.worker and program.pid == task.worker.pid]
        return found

    @staticmethod
    def child_of(worker: Program) -> psutil.Process:
        """The warm child of a worker."""
        (child,) = Ground.children_of(worker)
        return child

    @staticmethod
    def children_of(worker: Program) -> list[psutil.Process]:
        """Its warm child; none while it starts one, or is dead itself."""
        try:
            return [one for one in worker.children() if "tasks_app.processes.child" in one.cmdline()]
        except psutil.Error:
            return []

    def kill_group(self, worker: Program) -> None:
        """The worker with all that it started, at once."""
        for group in (worker.pid, *(child.pid for child in self.children_of(worker))):
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        worker.wait()

    # -- Waiting

    @staticmethod
    def wait_until(predicate: Callable[[], object], within: float, *, what: str) -> None:
        """A database that is away says nothing yet. Raises DrillFailed."""
        until = time.monotonic() + within
        while not _is_so(predicate):
            if time.monotonic() > until:
                raise DrillFailed(f"not so after {within:g} s: {what}")
            time.sleep(0.03)


def limits(size: Size) -> dict[str, str]:
    """Settings of every program: the product's own in place of the house's brisk ones, or brisk ones."""
    if size is Size.FULL:
        return {name: str(getattr(settings, name)) for name in BRISK}
    return {"LONGHAUL_WORKER_SILENT_SECONDS": SHORT_SILENCE_SECONDS}


def _is_so(predicate: Callable[[], object]) -> object:
    try:
        return predicate()
    except AWAY:
        close_for_good()
        return False
