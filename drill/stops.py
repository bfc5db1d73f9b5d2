"""Somebody says stop, wherever the task is just then: it stops, leaves nothing behind, and the next one is taken."""

import time
from datetime import timedelta

from django.utils import timezone

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import ModelCall, Task
from tests.support.endpoint_behaviours import Behaviour, hang_before_headers, status, trickle
from tests.support.programs import Program

from . import judge, left
from .ends import ended_attempt
from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import expect_outcomes

# A stop takes no longer than this. A busy suite gets more.
STOP_SECONDS = {Size.FULL: 1.0, Size.SHORT: 20.0}
FORCED_GRACE = {Size.FULL: 5.0, Size.SHORT: 0.5}
# The endpoint asks for more time than anybody has here.
SLOW_DOWN = status(429, headers={"Retry-After": "30"})


@drill("stop, wherever the task is")
def stops(size: Size) -> Figures:
    with Ground(size, LONGHAUL_FORCED_STOP_GRACE_SECONDS=f"{FORCED_GRACE[size]}") as ground:
        worker = ground.house.ready_worker("gpu")
        figures = [
            *_in_calls(ground, worker, "a call", [trickle()], first=1),
            *_in_calls(ground, worker, "calls side by side", [trickle(), hang_before_headers()], first=2),
            *_between_steps(ground, worker, "steps"),
            *_between_steps(ground, worker, "files"),
            *_in_a_sleep_and_queued_behind_it(ground, worker),
            *_in_c_code(ground, worker),
            *_in_backoff(ground, worker),
            *_in_backoff_between_attempts(ground),
            *_before_its_time(ground),
        ]
        ground.ended(ground.submit("drill.pages", count=1, first=9), within=120)
        asked = {call.marker for call in ground.house.endpoint.calls}
        expect("PAGE-0008" not in asked, "a task that was stopped while it waited has made a call")
        expect(worker.is_alive, "the worker has ended")
        return figures


def _in_calls(ground: Ground, worker: Program, how: str, behaviours: list[Behaviour], *, first: int) -> Figures:
    """The endpoint sees their connections close, so that it stops generating. A call for each behaviour."""
    endpoint = ground.house.endpoint
    pages = judge.markers(len(behaviours), first=first)
    for page, behaviour in zip(pages, behaviours, strict=True):
        endpoint.script(page, [behaviour])
    task = ground.submit("drill.endless", how=how, page=first)
    ground.wait_until(lambda: endpoint.in_flight == len(pages), 120, what=f"{how}: in flight")
    asked_at = judge.now()
    took = _stopped(ground, worker, task)
    ground.wait_until(lambda: endpoint.in_flight == 0, 120, what="the endpoint has seen the connections close")
    calls = [call for page in pages for call in endpoint.calls_of(page)]
    expect(len(calls) == len(pages), f"{len(calls)} calls were made, expected {len(pages)}")
    expect(all(call.closed_early for call in calls), "the endpoint did not see a connection close")
    closed = max(call.finished or 0.0 for call in calls) - asked_at
    _expect_soon(ground, closed, f"{how}: connections closed")
    return [(f"in {how}", took, "s"), ("its connection closed", closed, "s")]


def _between_steps(ground: Ground, worker: Program, what: str) -> Figures:
    """Of short steps, or of those that do little else than write a file."""
    task = ground.submit("drill.endless", how=what)
    ground.wait_until(lambda: ground.saved(task) >= 5, 120, what="five steps are finished")
    return [(f"between {what}", _stopped(ground, worker, task), "s")]


def _in_a_sleep_and_queued_behind_it(ground: Ground, worker: Program) -> Figures:
    task = ground.submit("drill.endless", how="a sleep")
    ground.wait_until(lambda: "a sleep begins" in ground.lines, 120, what="it sleeps")
    queued = ground.submit("drill.pages", count=1, first=8)
    queued.refresh_from_db()
    expect(queued.status == "queued", f"the task behind it is {queued.status}, expected it to be queued")
    behind = _stopped_at_once(ground, queued)
    return [("in a sleep", _stopped(ground, worker, task), "s"), ("queued", behind, "s")]


def _in_c_code(ground: Ground, worker: Program) -> Figures:
    """Only the kill ends it, and somebody must have forced the stop."""
    task = ground.submit("drill.endless", how="C code")
    ground.wait_until(lambda: "C code begins" in ground.lines, 120, what="C code begins")
    child = ground.child_of(worker).pid
    began = time.monotonic()
    cancel(task.pk)
    cancel(task.pk, force=True)
    ground.ended(task, status="cancelled", within=FORCED_GRACE[ground.size] + 20)
    took = time.monotonic() - began
    expect_outcomes(ground, task, "cancelled")
    allowed = FORCED_GRACE[ground.size] + 2 * STOP_SECONDS[ground.size]
    expect(took < allowed, f"the forced stop took {took:.1f} s, expected less than {allowed:g}")
    _expect_nothing_left(ground, worker, task, child)
    return [("in C code, forced", took, "s")]


def _in_backoff(ground: Ground, worker: Program) -> Figures:
    """The wait fits the attempt, which waits in place."""
    ground.house.endpoint.script("PAGE-0004", [SLOW_DOWN])
    task = ground.submit("drill.endless", how="a call", page=4)
    slowed_down = ModelCall.objects.filter(task=task, outcome="rate_limited")
    ground.wait_until(slowed_down.exists, 120, what="the endpoint has asked it to slow down")
    return [("in backoff, in place", _stopped(ground, worker, task), "s")]


def _in_backoff_between_attempts(ground: Ground) -> Figures:
    """The wait does not fit the attempt, which has ended."""
    ground.house.endpoint.script("PAGE-0005", [SLOW_DOWN])
    task = ground.submit("drill.pages", count=1, first=5, attempt_timeout=20)
    ended_attempt(ground, task, outcome="waiting", within=120)
    return [("in backoff, between attempts", _stopped_at_once(ground, task), "s")]


def _before_its_time(ground: Ground) -> Figures:
    run_after = timezone.now() + timedelta(hours=1)
    task = ground.submit("drill.pages", count=1, first=8, run_after=run_after)
    return [("before its time", _stopped_at_once(ground, task), "s")]


def _stopped(ground: Ground, worker: Program, task: Task) -> float:
    """Seconds until it is cancelled. Nothing of it is left then."""
    child = ground.child_of(worker).pid
    began = time.monotonic()
    cancel(task.pk)
    ground.ended(task, status="cancelled", within=120)
    took = time.monotonic() - began
    _expect_soon(ground, took, f"{task.kwargs['how']}: it was cancelled")
    expect_outcomes(ground, task, "cancelled")
    expect(f"{task.kwargs['how']} is left" in ground.lines, "its `finally` was not executed")
    _expect_nothing_left(ground, worker, task, child)
    return took


def _stopped_at_once(ground: Ground, task: Task) -> float:
    """Of a task that nobody executes: one statement ends it, and no tick and no worker is needed."""
    attempts = task.attempts.count()
    began = time.monotonic()
    expect(cancel(task.pk) == "cancelled", "it was not cancelled at once, although it waited")
    took = time.monotonic() - began
    expect(task.attempts.count() == attempts, "it was executed after it was cancelled")
    left.expect_nothing(ground, task)
    return took


def _expect_nothing_left(ground: Ground, worker: Program, task: Task, child: int) -> None:
    """Either the child goes on with other tasks, or nothing of its group lives."""
    left.expect_nothing(ground, task)
    ground.wait_until(
        lambda: left.child_now(worker) == child or not left.group(child), 120, what="the old child has gone"
    )


def _expect_soon(ground: Ground, took: float, what: str) -> None:
    allowed = STOP_SECONDS[ground.size]
    expect(took < allowed, f"{what} after {took:.2f} s, expected less than {allowed:g}")
