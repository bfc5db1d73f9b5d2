"""The task of 30 steps, each a model call, to which something happens when 10 of them are finished."""

from typing import Any

from tasks_app.models import Task

from . import judge
from .ground import Ground
from .registry import Figures, Size, expect

STEPS = 30
# Finished steps when it happens.
MIDDLE = 10
# Beyond this step it does not come before it has happened, however slow those are that look.
GATE = "PAGE-0020"
# Seconds of a call.
LATENCY = {Size.FULL: 0.5, Size.SHORT: 0.05}


def submitted(ground: Ground, *, kind: str = "drill.pages", count: int = STEPS, **options: Any) -> Task:
    ground.house.endpoint.default(latency=LATENCY[ground.size])
    return ground.submit(kind, count=count, **options)


def in_the_middle(ground: Ground, **options: Any) -> Task:
    """The task, when 10 of its steps are finished and it goes on, as far as the GATE, which the drill is to open."""
    ground.house.endpoint.hold(GATE)
    task = submitted(ground, **options)
    ground.wait_until(lambda: ground.saved(task) >= MIDDLE, 120, what=f"{MIDDLE} steps are finished")
    return task


def open_gate(ground: Ground) -> None:
    ground.house.endpoint.release(GATE)


def expect_outcomes(ground: Ground, task: Task, *expected: str) -> None:
    """Of its attempts, in order."""
    found = tuple(ground.outcomes(task))
    expect(found == expected, f"its attempts ended as {found}, expected {expected}")


def went_on(ground: Ground, moment: float, *, within: float) -> Figures:
    """From `moment` to the next call. Raises DrillFailed where it took longer, under the product's own limits."""
    seconds = judge.went_on_after(moment, ground.house.endpoint.calls)
    in_time = ground.size is Size.SHORT or seconds < within
    expect(in_time, f"it went on after {seconds:.1f} s, expected less than {within:g}")
    return [("went on after", seconds, "s")]


def judged(ground: Ground, task: Task) -> Figures:
    return judge.no_step_again(task, ground.house.endpoint.calls, count=STEPS)
