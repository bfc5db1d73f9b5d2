"""A million finished tasks and 10,000 that wait, all of one user: what is done each second stays as quick as it was."""

import itertools
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import median

from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from tasks_app.lifecycle.admission import admit
from tasks_app.models import Status, Task
from tasks_app.processes import tick
from tests.support.rows import make_worker

from .ground import Ground
from .registry import Figures, NotApplicable, Size, drill, expect
from .web import Web

FINISHED = {Size.FULL: 1_000_000, Size.SHORT: 20_000}
WAITING = {Size.FULL: 10_000, Size.SHORT: 2_000}
# Seconds at most. In SHORT other tests are at work beside it.
TICK = {Size.FULL: 1.0, Size.SHORT: 10.0}
ADMISSION = {Size.FULL: 0.010, Size.SHORT: 0.5}
METRICS = {Size.FULL: 0.300, Size.SHORT: 5.0}
# Also for a person: the first page of a list.
PAGE = {Size.FULL: 0.300, Size.SHORT: 5.0}
ROUNDS = {Size.FULL: 20, Size.SHORT: 5}


@drill("a million finished, 10,000 waiting")
def million(size: Size) -> Figures:
    if connection.vendor != "postgresql":
        raise NotApplicable("is for PostgreSQL (DATABASE=postgresql): SQLite is for one machine and fewer tasks")
    with Ground(size) as ground, Web(ground) as web:
        web.user.is_staff = True
        web.user.save()
        began = time.monotonic()
        call_command("filltasks", finished=FINISHED[size], waiting=WAITING[size], owner="ada", verbosity=0)
        filled = time.monotonic() - began
        # It takes nothing: only so that its kinds are served.
        far = timezone.now() + timedelta(hours=1)
        make_worker("gpu", "cpu", kinds=("document.generate", "document.extract"), heartbeat_at=far)
        figures: Figures = [("tasks made in", filled, "s")]
        figures += _judged("tick", _ticks(), ROUNDS[size], limit=TICK[size])
        figures += _judged("admission of one", _admission(web.user.pk), ROUNDS[size], limit=ADMISSION[size])
        figures += _judged("/metrics", _got(web, "/metrics"), ROUNDS[size], limit=METRICS[size])
        figures += _judged("page of the API", _got(web, "/api/tasks"), ROUNDS[size], limit=PAGE[size])
        figures += _judged("/api/queues", _got(web, "/api/queues"), ROUNDS[size], limit=PAGE[size])
    return figures


def _judged(name: str, measure: Callable[[], float], rounds: int, *, limit: float) -> Figures:
    """Of many rounds the median is judged: one may meet another program. The worst is told."""
    measure()
    took = sorted(measure() for _ in range(rounds))
    usual, worst = median(took), took[-1]
    expect(usual < limit, f"{name} took {usual * 1000:.1f} ms, expected less than {limit * 1000:g}")
    return [(name, usual * 1000, "ms"), ("at worst", worst * 1000, "ms")]


def _ticks() -> Callable[[], float]:
    """Each with all parts, those too that are not due at every tick: a clock says that hours have passed."""
    hours = itertools.count(1)

    def one() -> float:
        now = time.monotonic() + next(hours) * 3600
        began = time.perf_counter()
        tick.perform(has_contact=lambda: True, clock=lambda: now)
        return time.perf_counter() - began

    return one


def _admission(owner_id: int) -> Callable[[], float]:
    def one() -> float:
        done = Task.objects.owned_by(owner_id).queued()[:1].values("pk")
        Task.objects.filter(pk__in=done).update(status=Status.SUCCEEDED, finished_at=Now(), started_at=Now())
        began = time.perf_counter()
        admitted = admit(owner_id)
        took = time.perf_counter() - began
        expect(admitted == 1, f"{admitted} tasks took the slot that was free, expected 1")
        return took

    return one


def _got(web: Web, path: str) -> Callable[[], float]:
    def one() -> float:
        began = time.perf_counter()
        status = web.status(path)
        took = time.perf_counter() - began
        expect(status == 200, f"{path} answered {status}, expected 200")
        return took

    return one
