"""A task takes more memory than its queue gives: it is killed, and only it notices."""

from pathlib import Path

from tasks_app.models import Task, Worker
from tests.support.programs import Program

from . import left
from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import expect_outcomes

LIMIT_MEGABYTES = 250
# What it takes, and no more: should nobody stop it, the machine must live.
TAKEN_MEGABYTES = 600
MOST_ATTEMPTS = 3


@drill("task past its memory limit")
def past_its_memory(size: Size) -> Figures:
    env = {"LONGHAUL_GPU_MEMORY_MEGABYTES": f"{LIMIT_MEGABYTES}", "LONGHAUL_BACKOFF_BASE_SECONDS": "0.2"}
    with Ground(size, **env) as ground:
        ground.house.scheduler()
        others = ground.house.worker("cpu")
        worker = ground.house.ready_worker("gpu")
        neighbour, gate = _in_hand_of_the_other_queue(ground)
        child = left.child_now(others)
        hungry = ground.submit("drill.hungry", megabytes=TAKEN_MEGABYTES)
        ground.ended(hungry, status="failed", within=150)
        _expect_killed(ground, hungry)
        # It was submitted after the other, to the same worker.
        ground.ended(ground.submit("drill.pages", count=1), within=120)
        expect(worker.is_alive, "the worker has ended with the task")
        gate.touch()
        ground.ended(neighbour, within=120)
        _expect_undisturbed(ground, others, child, neighbour)
        return [("attempts", MOST_ATTEMPTS, ""), ("limit", LIMIT_MEGABYTES, "MB"), *_seconds(hungry)]


def _in_hand_of_the_other_queue(ground: Ground) -> tuple[Task, Path]:
    """A task that goes on until the file exists."""
    gate = ground.house.folder / "gate"
    task = ground.submit("test.held", queue="cpu", gate=str(gate))
    ground.wait_until(lambda: "held" in ground.lines, 120, what="the other queue's worker has a task in hand")
    return task, gate


def _expect_killed(ground: Ground, task: Task) -> None:
    """Each attempt by its memory, and all of them spent."""
    expect(task.error_code == "memory_exceeded", f"it failed as {task.error_code}, expected memory_exceeded")
    expect_outcomes(ground, task, *["memory"] * MOST_ATTEMPTS)
    spent = task.attempts.filter(spent=True).count()
    expect(spent == MOST_ATTEMPTS, f"{spent} attempts were spent, expected {MOST_ATTEMPTS}")
    lines = [ground.lines.count(line) for line in ("before", "hungry")]
    expect(lines == [1, MOST_ATTEMPTS], f"its finished step and what follows were executed {lines} times")
    left.expect_nothing(ground, task)


def _expect_undisturbed(ground: Ground, others: Program, child: int | None, task: Task) -> None:
    expect_outcomes(ground, task, "succeeded")
    expect(child is not None and left.child_now(others) == child, "the other queue's child is another one now")
    restarts = Worker.objects.get(pid=others.pid).child_restarts
    expect(restarts == 0, f"the other queue's child was started {restarts} times anew")


def _seconds(task: Task) -> Figures:
    """From the beginning of an attempt, at 16 MB each 20 ms, to its end."""
    took = [
        (finished - started).total_seconds()
        for started, finished in task.attempts.values_list("started_at", "finished_at")
        if finished is not None
    ]
    return [("an attempt was killed after at most", max(took), "s")]
