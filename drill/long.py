"""A task that takes longer than an attempt may: it passes through several, and only its deadline bounds it."""

from collections import Counter

from tasks_app.models import Attempt

from .ends import expect_all_free
from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import expect_outcomes

# Steps, seconds of each, the attempt's limit, which comes in the middle of a step: at its end, finished and not yet
# saved, it would be executed twice. In FULL as 12 minutes to 300 s, one in ten.
SHAPE = {Size.FULL: (24, 3.0, 30.0), Size.SHORT: (7, 0.8, 2.0)}
IDLE_LIMIT = 1.0
MOST_ATTEMPTS = 3


@drill("12-minute task under a 300 s limit (1 : 10)")
def long_task(size: Size) -> Figures:
    count, seconds, limit = SHAPE[size]
    with Ground(size, LONGHAUL_BACKOFF_BASE_SECONDS="0.2") as ground:
        ground.house.scheduler()
        ground.house.ready_worker("gpu")
        task = ground.submit("drill.steps", count=count, seconds=seconds, attempt_timeout=limit)
        ground.ended(task, within=count * seconds * 3 + 90)
        expect_all_free(task)
        timeouts = len(ground.outcomes(task)) - 1
        expect(timeouts >= 2, f"its attempts ended as {ground.outcomes(task)}, expected several")
        expect_outcomes(ground, task, *["timeout"] * timeouts, "succeeded")
        cut = _expect_each_once(ground, count)
        # A step that an attempt's limit cut off was not finished.
        expect(cut <= timeouts, f"{cut} steps began again without having been cut off by one of {timeouts} limits")
        _no_step_at_all(ground)
        return [("attempts", timeouts + 1, ""), ("steps finished", count, ""), ("of these begun again", cut, "")]


def _expect_each_once(ground: Ground, count: int) -> int:
    """Raises DrillFailed where a step was finished twice or not at all; how many began more often."""
    lines = Counter(ground.lines)
    finished = {number: lines[f"finished {number}"] for number in range(count)}
    expect(finished == dict.fromkeys(range(count), 1), f"times that each step was finished: {finished}")
    return sum(lines[f"begun {number}"] - 1 for number in range(count))


def _no_step_at_all(ground: Ground) -> None:
    """An attempt that leaves no step behind is spent, and the third fails the task."""
    task = ground.submit("drill.idle", attempt_timeout=IDLE_LIMIT)
    ground.ended(task, status="failed", within=120)
    expect(task.error_code == "attempts_exhausted", f"it failed as {task.error_code}, expected attempts_exhausted")
    expect_outcomes(ground, task, *["timeout"] * MOST_ATTEMPTS)
    spent = Attempt.objects.filter(task=task, spent=True).count()
    expect(spent == MOST_ATTEMPTS, f"{spent} attempts were spent, expected {MOST_ATTEMPTS}")
