"""The three limits: of a model call, of an attempt, of the whole task. Each ends what goes past it, nothing else."""

from uuid import UUID

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import ModelCall, Task
from tests.support.endpoint_behaviours import ok, status, trickle
from tests.support.programs import Program

from . import left
from .endless import patient
from .ends import ended_attempt, seconds_of
from .ground import FINAL, Ground
from .registry import Figures, Size, drill, expect
from .thirty import expect_outcomes

# From a limit to the end that is written: the worker looks twice a second. A busy suite gets more.
MOMENT = {Size.FULL: 1.5, Size.SHORT: 20.0}
GRACE = {Size.FULL: 5.0, Size.SHORT: 4.0}
ATTEMPT_LIMIT = {Size.FULL: 5.0, Size.SHORT: 2.0}
CALL_LIMIT = {Size.FULL: 10.0, Size.SHORT: 2.0}
# As endless.patient declares it.
OWN_CALL_LIMIT = 1.5
BACKOFF_SECONDS = 0.2


@drill("limits of an attempt, a call and a task")
def limits(size: Size) -> Figures:
    env = {
        "LONGHAUL_KILL_GRACE_SECONDS": f"{GRACE[size]}",
        "LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS": f"{CALL_LIMIT[size]}",
        "LONGHAUL_BACKOFF_BASE_SECONDS": f"{BACKOFF_SECONDS}",
    }
    with Ground(size, **env) as ground:
        ground.house.scheduler()
        worker = ground.house.ready_worker("gpu")
        return [
            *_in_c_code(ground, worker),
            *_in_a_step(ground, worker),
            *_in_a_write(ground),
            *_trickling_call(ground),
            *_own_call_limit(ground),
            *_deadlines(ground),
            *_deadline_in_c_code(ground),
        ]


def _in_c_code(ground: Ground, worker: Program) -> Figures:
    task, child = _begun(ground, worker, "C code")
    limit, grace = ATTEMPT_LIMIT[ground.size], GRACE[ground.size]
    attempt = ended_attempt(ground, task, outcome="timeout", within=limit + grace + 20)
    task.refresh_from_db()
    expect(task.status not in FINAL, f"the task is {task.status}, expected it to go on to its next attempt")
    _give_up(ground, task)
    took = seconds_of(attempt)
    expect(took < limit + grace + MOMENT[ground.size], f"it was gone after {took:.1f} s, the limit is {limit:g} s")
    ground.wait_until(lambda: not left.group(child), 120, what="no process of the killed child lives on")
    expect(f"limit of {limit:.0f} s" in attempt.error_text, f"its error does not name the limit: {attempt.error_text}")
    return [("stuck in C code: gone after", took, "s")]


def _in_a_step(ground: Ground, worker: Program) -> Figures:
    """In `time.sleep`: it gets an exception there, so that its `finally` is executed."""
    task, _ = _begun(ground, worker, "a step")
    limit = ATTEMPT_LIMIT[ground.size]
    attempt = ended_attempt(ground, task, outcome="timeout", within=limit + 20)
    expect("a step is left" in ground.lines, "its `finally` was not executed")
    _give_up(ground, task)
    took = seconds_of(attempt)
    expect(took < limit + GRACE[ground.size], f"it ended after {took:.1f} s, by the kill and not by the exception")
    return [("in a sleep: ended after", took, "s")]


def _in_a_write(ground: Ground) -> Figures:
    """The limit passes while a large result is being written."""
    task = ground.submit("drill.endless", how="files", attempt_timeout=ATTEMPT_LIMIT[ground.size])
    ended_attempt(ground, task, outcome="timeout", within=ATTEMPT_LIMIT[ground.size] + 20)
    _give_up(ground, task)
    left.expect_nothing(ground, task)
    return []


def _begun(ground: Ground, worker: Program, how: str) -> tuple[Task, int]:
    """An endless task under the limit, and the child that has it in hand."""
    task = ground.submit("drill.endless", how=how, attempt_timeout=ATTEMPT_LIMIT[ground.size])
    ground.wait_until(lambda: f"{how} begins" in ground.lines, 120, what=f"{how} begins")
    return task, ground.child_of(worker).pid


def _give_up(ground: Ground, task: Task) -> None:
    """Its next attempts would end like the first."""
    cancel(task.pk)
    ground.ended(task, status="cancelled", within=120)


def _trickling_call(ground: Ground) -> Figures:
    """The reads go on and on, the call does not."""
    took = []
    for page, what in enumerate(("chunks", "comments"), start=1):
        ground.house.endpoint.script(f"PAGE-{page:04}", [trickle(what), ok()])
        task = ground.submit("drill.pages", count=1, first=page)
        took.append(_call_seconds(ground, task, page, limit=CALL_LIMIT[ground.size]))
    return [("a trickling call ended after", max(took), "s")]


def _own_call_limit(ground: Ground) -> Figures:
    ground.house.endpoint.script("PAGE-0003", [trickle(), ok()])
    task = Task.objects.get(pk=UUID(patient.enqueue(page=3).id))
    return [("by its kind's own limit after", _call_seconds(ground, task, 3, limit=OWN_CALL_LIMIT), "s")]


def _call_seconds(ground: Ground, task: Task, page: int, *, limit: float) -> float:
    """How long the first call lasted: as long as the limit. The second is the task's success."""
    ground.ended(task, within=limit + 20)
    expect_outcomes(ground, task, "succeeded")
    seen, again = ground.house.endpoint.calls_of(f"PAGE-{page:04}")
    expect(seen.closed_early and again.behaviour == "ok", "the endpoint did not see the first call's end")
    call = ModelCall.objects.filter(task=task).earliest("pk")
    expect(call.outcome == "call_timeout", f"the first call ended as {call.outcome}, expected call_timeout")
    assert call.closed_at is not None
    took = (call.closed_at - call.sent_at).total_seconds()
    expect(limit <= took < limit + MOMENT[ground.size], f"the call lasted {took:.2f} s, its limit is {limit:g} s")
    return took


def _deadlines(ground: Ground) -> Figures:
    """One task waits for its next attempt when its deadline comes; the other runs, and is what it waits for."""
    ground.house.endpoint.script("PAGE-0004", [status(429, headers={"Retry-After": "4"})])
    waits = ground.submit("drill.pages", count=1, first=4, attempt_timeout=3, deadline=7)
    ended_attempt(ground, waits, outcome="waiting", within=120)
    runs = ground.submit("drill.endless", how="a step", deadline=10)
    ground.ended(waits, status="failed", within=40)
    runs.refresh_from_db()
    expect(runs.status == "running", f"the other task is {runs.status} by then, expected it to run")
    ground.ended(runs, status="failed", within=120)
    expect_outcomes(ground, waits, "waiting")
    expect_outcomes(ground, runs, "deadline")
    expect(ground.lines.count("a step is left") == 2, "the `finally` of the task past its deadline was not executed")
    return [
        ("a waiting task failed after", _past_deadline(ground, waits), "s"),
        ("a running one after", _past_deadline(ground, runs), "s"),
    ]


def _deadline_in_c_code(ground: Ground) -> Figures:
    task = ground.submit("drill.endless", how="C code", deadline=1)
    ground.ended(task, status="failed", within=120)
    expect_outcomes(ground, task, "deadline")
    return [("one in C code after", _past_deadline(ground, task, grace=GRACE[ground.size]), "s")]


def _past_deadline(ground: Ground, task: Task, *, grace: float = 0.0) -> float:
    """Seconds from its first start to its end; its deadline has passed by then, and not long ago."""
    task.refresh_from_db()
    assert task.started_at is not None
    assert task.finished_at is not None
    expect(task.error_code == "deadline_exceeded", f"it failed as {task.error_code}, expected deadline_exceeded")
    took = (task.finished_at - task.started_at).total_seconds()
    deadline = task.deadline_after.total_seconds()
    in_time = deadline + grace - 0.5 < took < deadline + grace + MOMENT[ground.size]
    expect(in_time, f"it ended {took:.1f} s after its start, its deadline is {deadline:g} s")
    return took
