"""Deploys during a long task: its workers are told to leave and others come. Nothing is lost, spent or done twice."""

import re
import signal
import time
from collections import Counter
from pathlib import Path
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet
from django.test import override_settings

from tasks_app.kinds import document_generate
from tasks_app.kinds.intake import take_in
from tasks_app.models import StepResult, Task
from tests.support.documents import marker_txt
from tests.support.programs import Program

from . import judge
from .endless import slow
from .ends import ended_attempt, expect_all_free
from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import expect_outcomes

PAGES = {Size.FULL: 200, Size.SHORT: 30}
DEPLOYS = {Size.FULL: 5, Size.SHORT: 2}
# Pages that a worker has done before it is told to leave.
ENOUGH = {Size.FULL: 10, Size.SHORT: 3}
# Seconds of a call, which is a step, while a worker is leaving and otherwise; four are side by side.
LATENCY = {Size.FULL: 1.2, Size.SHORT: 1.0}
QUICK = {Size.FULL: 1.2, Size.SHORT: 0.6}
GRACE = {Size.FULL: 5.0, Size.SHORT: 0.3}
# A worker looks twice a second, and its program takes a moment to end. A busy suite gets more.
MOMENT = {Size.FULL: 3.0, Size.SHORT: 30.0}
# What a step may take once a hand-over was asked for: a call's limit, as endless.slow declares it, and 5 s.
BOUNDARY_SECONDS = 1.0 + 5.0


@drill("deploys during 200 pages")
def deploys(size: Size) -> Figures:
    with Ground(size, LONGHAUL_SHUTDOWN_GRACE_SECONDS=f"{GRACE[size]}") as ground:
        leaving, slow_task, told_at = _told_to_leave_in_a_slow_step(ground)
        with override_settings(MEDIA_ROOT=ground.house.folder / "files"):
            figures, last = _during_the_document(ground)
        figures += _handed_over_by_force(ground, leaving, slow_task, told_at)
        return figures + _told_twice(ground, last)


def _during_the_document(ground: Ground) -> tuple[Figures, Program]:
    """Also the worker that finished it."""
    count, pages = DEPLOYS[ground.size], PAGES[ground.size]
    worker = ground.house.ready_worker("gpu")
    task = _submitted(pages)
    gone = []
    for number in range(1, count + 1):
        took, worker = _deploy(ground, worker, done=_pages_of(task, number))
        gone.append(took)
    ground.house.endpoint.default(latency=QUICK[ground.size])
    ground.ended(task, within=pages * QUICK[ground.size] + 60)
    expect_outcomes(ground, task, *["handed_over"] * count, "succeeded")
    expect_all_free(task)
    _expect_each_page_once(ground, task, pages)
    figures: Figures = [
        ("deploys", count, ""),
        ("calls", len(ground.house.endpoint.calls), ""),
        ("attempts spent", 0, ""),
        ("a worker was gone after at most", max(gone), "s"),
    ]
    return figures, worker


def _deploy(ground: Ground, leaving: Program, *, done: QuerySet[StepResult]) -> tuple[float, Program]:
    """Seconds until the old worker was gone, and the new one. `done`: by the old one."""
    ground.house.endpoint.default(latency=QUICK[ground.size])
    ground.wait_until(lambda: done.count() >= ENOUGH[ground.size], 120, what="the worker has done enough pages")
    ground.house.endpoint.default(latency=LATENCY[ground.size])
    began = time.monotonic()
    leaving.signal(signal.SIGTERM)
    following = ground.house.worker("gpu")
    allowed = GRACE[ground.size] + LATENCY[ground.size] + MOMENT[ground.size]
    ground.wait_until(lambda: not leaving.is_alive, allowed, what="the worker has left, by its grace and a step")
    took = time.monotonic() - began
    _expect_left_well(leaving)
    return took, following


def _submitted(pages: int) -> Task:
    user = get_user_model().objects.create_user("ada", password=None)
    return take_in(
        kind=document_generate.generate_from_document.kind,
        owner=user,
        fields={"instruction": "Say what you see."},
        file=SimpleUploadedFile("report.txt", marker_txt(pages)),
    ).task


def _pages_of(task: Task, attempt: int) -> QuerySet[StepResult]:
    return StepResult.objects.items().filter(task=task, attempt=attempt).succeeded()


def _expect_each_page_once(ground: Ground, task: Task, pages: int) -> None:
    """Among the calls, and in the one result."""
    calls = Counter(call.marker for call in ground.house.endpoint.calls)
    expected = judge.markers(pages, first=1)
    expect(calls == Counter(expected), f"calls that are not one a page: {calls - Counter(expected)}")
    answers = re.findall(r"R-\d{4}", task.load())
    expect(answers == [name.replace("PAGE", "R") for name in expected], f"{len(answers)} answers in the result")


def _told_to_leave_in_a_slow_step(ground: Ground) -> tuple[Program, Task, float]:
    """A worker of the other queue, the task that it has in hand, and when it was told."""
    worker = ground.house.ready_worker("cpu")
    task = Task.objects.get(pk=UUID(slow.enqueue(journal=str(ground.journal)).id))
    ground.wait_until(lambda: ground.lines == ["slow"], 120, what="the slow step begins")
    told_at = time.time()
    worker.signal(signal.SIGTERM)
    return worker, task, told_at


def _handed_over_by_force(ground: Ground, leaving: Program, task: Task, told_at: float) -> Figures:
    """The boundary is not reached in time: the child is killed."""
    allowed = GRACE[ground.size] + BOUNDARY_SECONDS
    attempt = ended_attempt(ground, task, outcome="handed_over", within=allowed + MOMENT[ground.size])
    assert attempt.finished_at is not None
    took = attempt.finished_at.timestamp() - told_at
    in_time = allowed - 0.5 < took < allowed + MOMENT[ground.size]
    expect(in_time, f"the slow step was killed after {took:.1f} s, expected {allowed:g} s")
    ground.wait_until(lambda: not leaving.is_alive, 120, what="the worker of the slow step has left")
    _expect_left_well(leaving)
    expect_all_free(task)
    return [("a slow step was killed after", took, "s")]


def _told_twice(ground: Ground, worker: Program) -> Figures:
    """Its worker is told to leave at once: neither the grace nor a boundary is waited for."""
    task = ground.submit("drill.slow")
    ground.wait_until(lambda: ground.lines == ["slow", "slow"], 120, what="the slow step begins")
    worker.signal(signal.SIGTERM)
    # Of two signals at once the kernel delivers one.
    ground.wait_until(lambda: not _is_pending(worker, signal.SIGTERM), 120, what="the first signal has arrived")
    began = time.monotonic()
    worker.signal(signal.SIGTERM)
    ground.wait_until(lambda: not worker.is_alive, MOMENT[ground.size], what="the worker that was told twice has left")
    took = time.monotonic() - began
    _expect_left_well(worker)
    expect_outcomes(ground, task, "handed_over")
    expect_all_free(task)
    return [("at a second SIGTERM after", took, "s")]


def _is_pending(program: Program, number: signal.Signals) -> bool:
    """Whether the kernel still keeps the signal for it."""
    lines = Path(f"/proc/{program.pid}/status").read_text().splitlines()
    (pending,) = [int(line.split()[1], 16) for line in lines if line.startswith("ShdPnd:")]
    return bool(pending >> (number - 1) & 1)


def _expect_left_well(worker: Program) -> None:
    code = worker.wait(1)
    expect(code == 0, f"the worker ended with exit code {code}, expected 0")
