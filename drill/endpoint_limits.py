"""Several workers on an endpoint with limits: never exceeded as the endpoint counts, and nearly used up."""

import time
from contextlib import suppress
from dataclasses import dataclass

from tasks_app.lifecycle.cancel import WrongState, cancel
from tasks_app.models import Task
from tests.support.endpoint import EndpointControl, RemoteModelEndpoint

from .ends import all_final
from .ground import Ground
from .registry import Figures, Size, drill, expect

MINUTE_SECONDS = 60.0
# What may be lost to care: a tenth.
CARE = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """`a_minute`, `at_once`: the endpoint's limits. `latency`: seconds of a call."""

    workers: int
    tasks: int
    pages: int
    at_once: int
    a_minute: int
    latency: float


SCALES = {
    Size.FULL: Scale(workers=4, tasks=20, pages=8, at_once=2, a_minute=60, latency=1.0),
    Size.SHORT: Scale(workers=3, tasks=6, pages=4, at_once=2, a_minute=12, latency=0.2),
}
# In SHORT the second minute is not waited for; nobody asks for so long.
QUIET_SECONDS = 3.0


@drill("endpoint's limits")
def endpoint_limits(size: Size) -> Figures:
    scale = SCALES[size]
    limits = {
        "LONGHAUL_ENDPOINT_CONCURRENCY": str(scale.at_once),
        "LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE": str(scale.a_minute),
    }
    with RemoteModelEndpoint() as endpoint, Ground(size, MODEL_BASE_URL=endpoint.base_url, **limits) as ground:
        endpoint.default(latency=scale.latency)
        ground.house.scheduler()
        for _ in range(scale.workers):
            ground.house.ready_worker("gpu")
        tasks = [
            ground.submit("drill.pages", count=scale.pages, first=number * scale.pages) for number in range(scale.tasks)
        ]
        if size is Size.FULL:
            ground.wait_until(all_final, 600, what="all tasks are final")
            expect(Task.objects.filter(status="succeeded").count() == scale.tasks, "not all tasks succeeded")
            return [*_never_exceeded(endpoint, scale), *_nearly_used_up(endpoint, scale)]
        _first_minute(ground, endpoint, scale)
        for task in tasks:
            # Some have succeeded by now.
            with suppress(WrongState):
                cancel(task.pk)
        ground.wait_until(all_final, 30, what="they are cancelled while they wait for the endpoint")
        return _never_exceeded(endpoint, scale)


def _first_minute(ground: Ground, endpoint: EndpointControl, scale: Scale) -> None:
    ground.wait_until(lambda: len(endpoint.calls) == scale.a_minute, 40, what="all that a minute allows is asked")
    time.sleep(QUIET_SECONDS)


def _never_exceeded(endpoint: EndpointControl, scale: Scale) -> Figures:
    at_once, a_minute = endpoint.max_in_flight, endpoint.most_within(MINUTE_SECONDS)
    expect(at_once <= scale.at_once, f"{at_once} calls at once, allowed are {scale.at_once}")
    expect(a_minute <= scale.a_minute, f"{a_minute} calls within a minute, allowed are {scale.a_minute}")
    return [("calls", len(endpoint.calls), ""), ("at once at most", at_once, ""), ("a minute at most", a_minute, "")]


def _nearly_used_up(endpoint: EndpointControl, scale: Scale) -> Figures:
    """The first minute's calls are bounded by how many go at once, the later ones by the minute."""
    times = sorted(call.time for call in endpoint.calls)
    first = times[scale.a_minute - 1] - times[0] + scale.latency
    ideal = scale.a_minute * scale.latency / scale.at_once
    expect(first < ideal * CARE, f"{scale.a_minute} calls took {first:.1f} s, {ideal:g} s would be enough")
    pairs = zip(times, times[scale.a_minute :], strict=False)
    apart = max(later - earlier for earlier, later in pairs)
    within = MINUTE_SECONDS * CARE
    expect(apart < within, f"a call came {apart:.1f} s after the one {scale.a_minute} before it, expected {within:g}")
    return [("of what goes at once used", 100 * ideal / first, "%"), ("of a minute", 100 * MINUTE_SECONDS / apart, "%")]
