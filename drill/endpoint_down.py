"""The endpoint fails for everyone for a while: one call at a time tries it, and then they come back one by one."""

import itertools
import time
from collections import Counter
from dataclasses import dataclass

from tasks_app.models import Attempt, StepResult, StepTries, Task
from tests.support.endpoint import EndpointControl, RemoteModelEndpoint
from tests.support.endpoint_behaviours import Behaviour, drop, status
from tests.support.endpoint_state import Call

from .ends import all_final
from .ground import KIND_MODULES, Ground
from .registry import Figures, Size, drill, expect


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """`pages`: of each task, four at once. `dead`: what the endpoint does then, for `seconds`. `notice`: seconds until
    everybody knows. `backoff`: base, seconds.
    """

    workers: int
    tasks: int
    pages: int
    latency: float
    dead: Behaviour
    seconds: float
    notice: float
    backoff: str


SCALES = {
    Size.FULL: Scale(workers=4, tasks=500, pages=4, latency=0.3, dead=drop(), seconds=30.0, notice=2.0, backoff="2"),
    Size.SHORT: Scale(
        workers=2, tasks=24, pages=4, latency=0.1, dead=status(503), seconds=5.0, notice=2.0, backoff="0.5"
    ),
}
BIN_SECONDS, BINS = 0.5, 24


@drill("endpoint dies and comes back")
def endpoint_down(size: Size) -> Figures:
    scale = SCALES[size]
    settings = {
        "LONGHAUL_KIND_MODULES": ",".join((*KIND_MODULES, "drill.endpoint_kinds")),
        "LONGHAUL_BACKOFF_BASE_SECONDS": scale.backoff,
    }
    with RemoteModelEndpoint() as endpoint, Ground(size, MODEL_BASE_URL=endpoint.base_url, **settings) as ground:
        endpoint.default(latency=scale.latency)
        ground.house.scheduler()
        for _ in range(scale.workers):
            ground.house.ready_worker("gpu")
        for number in range(scale.tasks):
            ground.submit("drill.side_by_side", count=scale.pages, first=number * scale.pages)
        ground.wait_until(lambda: len(endpoint.calls) > 2 * scale.workers * scale.pages, 60, what="all are at work")
        died = time.time()
        endpoint.always(scale.dead)
        time.sleep(scale.seconds)
        endpoint.always(None)
        ground.wait_until(all_final, 600, what="all tasks are final")
        _nothing_spent(scale)
        return _judged(endpoint, died, scale)


def _nothing_spent(scale: Scale) -> None:
    statuses = Counter(Task.objects.values_list("status", flat=True))
    expect(statuses == {"succeeded": scale.tasks}, f"the tasks ended as {dict(statuses)}, expected all succeeded")
    outcomes = Counter(Attempt.objects.values_list("outcome", flat=True))
    expect(outcomes.keys() <= {"succeeded", "waiting"}, f"attempts ended as {dict(outcomes)}")
    expect(not Attempt.objects.filter(spent=True).exists(), "an attempt was spent")
    # A refusal that came before the last answer of those in flight is a try: until then it failed for itself alone.
    in_flight = 0 if scale.dead == drop() else scale.workers * scale.pages
    tried = Counter(StepResult.objects.values_list("tries", flat=True))
    expect(tried.keys() <= {1, 2} and tried[2] <= in_flight, f"steps by the number of their tries: {dict(tried)}")
    counted = StepTries.objects.filter(tries__gt=0).count()
    expect(counted <= in_flight, f"{counted} tries were counted that failed for everyone")


def _judged(endpoint: EndpointControl, died: float, scale: Scale) -> Figures:
    calls = sorted(endpoint.calls, key=lambda call: call.time)
    # Not of calls that were on their way when it died.
    late = [call for call in calls if call.time > died + scale.notice]
    answers = sorted(call.finished or 0.0 for call in late if call.behaviour == "ok")
    back = answers[0]
    tries = [call for call in late if call.time < back]
    expect(len(tries) > 1, "nobody tried whether the endpoint is back")
    pauses = [later.time - earlier.time for earlier, later in itertools.pairwise(tries)]
    expect(all(pause > BIN_SECONDS * 0.9 for pause in pauses), f"more than one at a time tried: {pauses}")
    _one_by_one(late, answers)
    noticing = sum(died < call.time <= died + scale.notice for call in calls)
    spread = _histogram(calls, back)
    print("arrivals after the first answer:\n" + "\n".join(spread))
    attempts = Counter(Attempt.objects.values_list("outcome", flat=True))
    return [
        *[("tasks", scale.tasks, ""), ("of them waited", attempts["waiting"], "x")],
        *[("calls until all knew", noticing, ""), ("tries after that", len(tries), "")],
        ("then each half second", " ".join(line.split()[1] for line in spread), "calls"),
    ]


def _one_by_one(calls: list[Call], answers: list[float]) -> None:
    """With each answer at most one more goes at once."""
    back = answers[0]
    for call in (call for call in calls if back <= call.time < back + BIN_SECONDS * BINS):
        at_once = sum(other.time <= call.time < (other.finished or 0.0) for other in calls)
        so_far = sum(answer <= call.time for answer in answers)
        expect(at_once <= 1 + so_far, f"{at_once} calls at once after {so_far} answers")


def _histogram(calls: list[Call], back: float) -> list[str]:
    bins = Counter(int((call.time - back) / BIN_SECONDS) for call in calls if call.time >= back)
    return [f"{number * BIN_SECONDS:5.1f}s {bins[number]:4} {'#' * bins[number]}" for number in range(BINS)]
