"""What the endpoint's log and the rows say together: was a finished step executed again, was a call paid twice."""

import itertools
import time
from collections import Counter
from collections.abc import Iterable

from tasks_app.models import ModelCall, StepResult, Task
from tests.support.endpoint_state import Call

from .registry import Figures, expect

# A call that a killed process had sent may be written down a moment after its death.
MOMENT_SECONDS = 0.05


def markers(count: int, *, first: int = 0) -> list[str]:
    return [f"PAGE-{first + number:04}" for number in range(count)]


def no_step_again(task: Task, calls: Iterable[Call], *, count: int, first: int = 0) -> Figures:
    """Of a task whose step n asked for page `first` + n: calls, and those repeated in doubt. Raises DrillFailed."""
    names = markers(count, first=first)
    wanted = set(names)
    made = [call for call in calls if call.marker in wanted]
    finished = finishing_times(task, names)
    expect(len(finished) == count, f"{len(finished)} steps are finished, expected {count}")
    again = [call.marker for call in made if call.time > finished[call.marker]]
    expect(not again, f"executed again after they were finished: {again}")
    times, doubts = Counter(call.marker for call in made), in_doubt(task, names)
    paid_twice = {name: times[name] for name in names if not 1 <= times[name] <= 1 + doubts[name]}
    expect(not paid_twice, f"calls of a step that are neither the only one nor in doubt: {paid_twice}")
    return [("calls", len(made), ""), ("of these in doubt", len(made) - count, "")]


def finishing_times(task: Task, names: list[str]) -> dict[str, float]:
    """When each step was finished, seconds since the epoch."""
    steps = StepResult.objects.filter(task=task, name="ask").succeeded().order_by("index")
    times = steps.values_list("created_at", flat=True)
    return {name: at.timestamp() for name, at in zip(names, times, strict=False)}


def in_doubt(task: Task, names: list[str]) -> Counter[str]:
    steps = StepResult.objects.filter(task=task, name="ask").order_by("index").values_list("index", flat=True)
    name_of = dict(zip(steps, names, strict=False))
    doubts = ModelCall.objects.in_doubt().filter(task=task).values_list("step_index", flat=True)
    return Counter(name_of[index] for index in doubts if index in name_of)


def went_on_after(moment: float, calls: Iterable[Call]) -> float:
    """Seconds from `moment` (since the epoch) to the first call after it."""
    later = [call.time for call in calls if call.time > moment + MOMENT_SECONDS]
    expect(later, "no call was made after that")
    return min(later) - moment


def longest_pause(calls: Iterable[Call]) -> float:
    """Seconds between a call and the next."""
    times = sorted(call.time for call in calls)
    return max((later - earlier for earlier, later in itertools.pairwise(times)), default=0.0)


def now() -> float:
    """Seconds since the epoch, as the endpoint's log has them."""
    return time.time()
