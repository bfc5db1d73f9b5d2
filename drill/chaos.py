"""Something random dies every few seconds while many tasks are worked on: all end, nothing is done or paid twice."""

import os
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass

from tasks_app.models import Attempt, ModelCall, Task
from tests.support.endpoint import EndpointControl, RemoteModelEndpoint
from tests.support.endpoint_state import Call

from . import judge
from .fleet import Fleet
from .ground import FINAL, Ground
from .plan import plan
from .registry import Figures, Size, drill, expect


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """`seconds`: of strikes. `pause`: before each of them, from, to. `latency`: seconds of a call. `then`: seconds that
    it may take afterwards.
    """

    tasks: int
    steps: int
    workers: int
    seconds: float
    pause: tuple[float, float]
    latency: float
    then: float


SCALES = {
    Size.FULL: Scale(tasks=200, steps=20, workers=3, seconds=300, pause=(2, 5), latency=0.2, then=900),
    Size.SHORT: Scale(tasks=12, steps=5, workers=2, seconds=15, pause=(1, 3), latency=0.4, then=100),
}
SCHEDULERS = 2
SHORT_SEED = 1
# A task that is struck three times would rightly fail as interruptions_exhausted: here all shall succeed.
SETTINGS = {"LONGHAUL_MAX_LOST_ATTEMPTS": "1000"}


@drill("chaos")
def chaos(size: Size) -> Figures:
    """SEED in the environment strikes as that seed did before."""
    scale, seed = SCALES[size], _seed(size)
    with RemoteModelEndpoint() as endpoint, Ground(size, MODEL_BASE_URL=endpoint.base_url, **SETTINGS) as ground:
        endpoint.default(latency=scale.latency)
        fleet = Fleet(ground, workers=scale.workers, schedulers=SCHEDULERS)
        tasks = [
            ground.submit("drill.pages", count=scale.steps, first=number * scale.steps) for number in range(scale.tasks)
        ]
        ground.wait_until(lambda: endpoint.calls, 120, what="the work has begun")
        struck = _strike(fleet, scale, seed)
        began = time.monotonic()
        ground.wait_until(_all_final, scale.then, what=f"all {scale.tasks} tasks are final (seed {seed})")
        then = time.monotonic() - began
        codes = [program.wait(120) for program in fleet.leaving]
        expect(not any(codes), f"workers that were told to leave exited with {codes}, expected 0")
        return [("seed", seed, ""), *struck, *_judged(tasks, endpoint, scale), ("all final after", then, "s more")]


def _seed(size: Size) -> int:
    given = os.environ.get("SEED", "")
    return int(given) if given else size.of(full=random.randrange(10**6), short=SHORT_SEED)


def _strike(fleet: Fleet, scale: Scale, seed: int) -> Figures:
    began = time.monotonic()
    strikes = plan(seed, strikes=fleet.strikes(), seconds=scale.seconds, pause=scale.pause)
    for strike in strikes:
        time.sleep(max(0.0, began + strike.at - time.monotonic()))
        print(f"{strike.at:7.2f} s  {strike.what}", flush=True)
        fleet.strike(strike)
    fleet.heal()
    return [(what, times, "x") for what, times in sorted(Counter(strike.what for strike in strikes).items())]


def _all_final() -> bool:
    return not Task.objects.exclude(status__in=FINAL).exists()


def _judged(tasks: list[Task], endpoint: EndpointControl, scale: Scale) -> Figures:
    statuses = Counter(Task.objects.values_list("status", flat=True))
    expect(statuses == {"succeeded": scale.tasks}, f"the tasks ended as {dict(statuses)}, expected all succeeded")
    calls = endpoint.calls
    calls_of = _by_task(calls, scale)
    for number, task in enumerate(tasks):
        judge.no_step_again(task, calls_of[number], count=scale.steps, first=number * scale.steps)
    doubts, due = ModelCall.objects.in_doubt().count(), scale.tasks * scale.steps
    expect(len(calls) <= due + doubts, f"{len(calls)} calls, expected at most {due} and {doubts} in doubt")
    return [("tasks succeeded", scale.tasks, ""), *_attempts(), ("calls", len(calls), ""), ("in doubt", doubts, "")]


def _by_task(calls: list[Call], scale: Scale) -> dict[int, list[Call]]:
    found: dict[int, list[Call]] = defaultdict(list)
    for call in calls:
        found[int(call.marker.removeprefix("PAGE-")) // scale.steps].append(call)
    return found


def _attempts() -> Figures:
    """How they ended. Raises DrillFailed where one spent something: nothing of this was the fault of a task."""
    outcomes = Counter(Attempt.objects.values_list("outcome", flat=True))
    free = {"succeeded", "lost", "handed_over", "waiting"}
    expect(outcomes.keys() <= free, f"attempts ended as {dict(outcomes)}, expected only {sorted(free)}")
    lost = Counter(Attempt.objects.filter(outcome="lost").values_list("task_id", flat=True))
    return [
        ("attempts lost", outcomes["lost"], f"(most of one task {max(lost.values(), default=0)})"),
        ("handed over", outcomes["handed_over"], ""),
    ]
