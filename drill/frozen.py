"""A worker is stopped (SIGSTOP) with its child, given up, and continued: its old attempt writes nothing."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks_app.models import ModelCall, StepResult, Task, Worker
from tests.support.programs import Program

from . import judge
from .ground import Ground
from .kills import WORKER_SECONDS
from .registry import Figures, Size, drill, expect
from .thirty import MIDDLE, STEPS, expect_outcomes, judged, submitted, went_on

HELD = f"PAGE-{MIDDLE:04}"
STOPPED_SECONDS = {Size.FULL: 60.0, Size.SHORT: 5.0}


@drill("worker stopped between steps")
def between_steps(size: Size) -> Figures:
    def begin(ground: Ground, gate: Path) -> Task:
        task = submitted(ground, gate=str(gate), closed_at=MIDDLE)
        ground.wait_until(lambda: "at the gate 1" in ground.lines, 120, what="it waits between two steps")
        return task

    return _stopped(size, begin)


@drill("worker stopped in a step")
def in_a_step(size: Size) -> Figures:
    def begin(ground: Ground, _: Path) -> Task:
        ground.house.endpoint.hold(HELD)
        task = submitted(ground)
        ground.wait_until(lambda: ground.house.endpoint.calls_of(HELD), 120, what="a call is in flight")
        return task

    return _stopped(size, begin)


@drill("worker stopped inside a transaction")
def inside_a_transaction(size: Size) -> Figures:
    def begin(ground: Ground, gate: Path) -> Task:
        task = submitted(ground, kind="drill.transaction", gate=str(gate), closed_at=MIDDLE)
        ground.wait_until(lambda: "inside 1" in ground.lines, 120, what="it holds a transaction open")
        return task

    return _stopped(size, begin)


def _stopped(size: Size, begin: Callable[[Ground, Path], Task]) -> Figures:
    """`begin`: gives a task that waits at the place in question until the file exists or the endpoint answers."""
    with Ground(size) as ground:
        ground.house.scheduler()
        worker = ground.house.ready_worker("gpu")
        gate = ground.house.folder / "gate"
        task = begin(ground, gate)
        with _frozen(ground, worker):
            stopped_at = judge.now()
            other = ground.house.worker("gpu")
            gate.touch()
            ground.house.endpoint.release(HELD)
            ground.ended(task, within=120)
            before = _state(task)
            time.sleep(max(0.0, stopped_at + STOPPED_SECONDS[size] - judge.now()))
        stopped = judge.now() - stopped_at
        other.kill()
        _expect_useful(ground, worker)
        expect(_state(task) == before, f"the old attempt wrote: {before} became {_state(task)}")
        expect_outcomes(ground, task, "lost", "succeeded")
        return [
            ("stopped for", stopped, "s"),
            *went_on(ground, stopped_at, within=WORKER_SECONDS),
            *judged(ground, task),
        ]


@contextmanager
def _frozen(ground: Ground, worker: Program) -> Iterator[None]:
    child = ground.child_of(worker).pid
    for group in (worker.pid, child):
        os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        for group in (child, worker.pid):
            os.killpg(group, signal.SIGCONT)


def _expect_useful(ground: Ground, worker: Program) -> None:
    """The worker that was stopped finds its task gone, and performs the next one."""
    row = Worker.objects.filter(pid=worker.pid, task_id_in_hand=None)
    ground.wait_until(row.exists, 120, what="the worker that was stopped has let its task go")
    ground.ended(submitted(ground, count=1, first=STEPS), within=120)


def _state(task: Task) -> tuple[object, ...]:
    """All that an attempt can write."""
    steps = StepResult.objects.filter(task=task).order_by("index").values_list("index", "attempt", "version")
    calls = ModelCall.objects.filter(task=task).order_by("pk").values_list("pk", "attempt", "outcome")
    return (*Task.objects.filter(pk=task.pk).values_list("version", "status", "attempt"), *steps, *calls)
