"""A step that fails is tried again in its place; those that are finished are not."""

from tasks_app.models import StepResult
from tests.support.endpoint_behaviours import ok, status

from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import STEPS, expect_outcomes, submitted

FAILURES = 2


@drill("30 steps, the 30th fails twice")
def last_step_fails(size: Size) -> Figures:
    with Ground(size, LONGHAUL_BACKOFF_BASE_SECONDS=size.of(full="2", short="0.2")) as ground:
        ground.house.endpoint.script(f"PAGE-{STEPS - 1:04}", [*[status(503)] * FAILURES, ok()])
        ground.house.ready_worker("gpu")
        task = ground.ended(submitted(ground), within=120)
        expect_outcomes(ground, task, "succeeded")
        calls = len(ground.house.endpoint.calls)
        expect(calls == STEPS + FAILURES, f"{calls} calls, expected {STEPS + FAILURES}")
        tries = list(StepResult.objects.filter(task=task).order_by("index").values_list("tries", flat=True))
        expect(tries == [*[1] * (STEPS - 1), FAILURES + 1], f"tries of its steps: {tries}")
        return [("calls", calls, "")]
