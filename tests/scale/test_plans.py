"""With many tasks, nothing that is asked often reads a table from end to end, nor many rows by an index."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from tasks_app.lifecycle import admission, expiry, orphans, prune, prune_rows, rescue, unknown_kind
from tasks_app.lifecycle.claim import claim
from tasks_app.models import Attempt, Firing, Outcome, QueueSample, Schedule, Task, Worker
from tasks_app.monitoring import samples
from tasks_app.monitoring.judge import judge
from tasks_app.processes import wiring
from tasks_app.schedules.overlap import give_way
from tests.support.plans import read_whole, rows_touched, statements_of
from tests.support.rows import make_worker

FINISHED, WAITING = 100_000, 10_000
TASK = "tasks_app_task"
BIG = {TASK, "tasks_app_attempt", "tasks_app_stepresult", "tasks_app_modelcall", "tasks_app_queuesample"}
KINDS = ("document.generate", "document.extract")
# Rows of tasks that may be fetched: of a person's page and of one task; of what has to count all that wait.
FEW, ALL_THAT_WAIT = 1500, 3 * WAITING


@pytest.fixture
def worker(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Of a place with many tasks, all of them known to the planner."""
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 2 * WAITING
    call_command("filltasks", finished=FINISHED, waiting=WAITING, owner="ada", verbosity=0)
    monkeypatch.setattr(wiring, "ring_up_to", lambda *_, **__: None)
    soon = timezone.now() + timedelta(hours=1)
    return make_worker("gpu", "cpu", kinds=KINDS, heartbeat_at=soon)


def test_nothing_that_is_asked_often_reads_a_whole_table(worker: Worker, client: Client) -> None:
    ada = Task.objects.pending()[0].owner
    assert ada is not None
    admission.admit_all()
    ada.is_staff = ada.is_superuser = True
    ada.save()
    client.force_login(ada)
    one = Task.objects.pending().order_by("pk")[0]
    _many_samples()
    _many_attempts()
    schedule = _with_many_firings()

    def get(path: str) -> Callable[[], object]:
        def go() -> None:
            assert client.get(path).status_code == 200, path

        return go

    asked: dict[str, tuple[Callable[[], object], int]] = {
        "expire": (expiry.expire, FEW),
        "deadlines": (expiry.enforce_deadlines, FEW),
        "rescue": (rescue.rescue, FEW),
        "unknown kinds": (unknown_kind.fail_unknown_kinds, ALL_THAT_WAIT),
        "give back": (admission.give_back, FEW),
        "admit": (admission.admit_all, FEW),
        "ring": (wiring.ring_all, FEW),
        "samples": (samples.take_samples, ALL_THAT_WAIT),
        "alerts": (judge, FEW),
        "firing": (lambda: give_way(schedule), FEW),
        "claim": (lambda: claim(worker.pk, queue="gpu", kinds=KINDS), FEW),
        "admit one": (lambda: admission.admit(ada.pk), FEW),
        "page": (get("/"), ALL_THAT_WAIT),
        "page of one": (get(f"/tasks/{one.pk}/"), ALL_THAT_WAIT),
        "API": (get("/api/tasks"), ALL_THAT_WAIT),
        "API, pending": (get("/api/tasks?status=pending"), ALL_THAT_WAIT),
        "API, failed": (get("/api/tasks?status=failed"), FEW),
        "API, of a kind": (get("/api/tasks?kind=document.extract&status=succeeded"), FEW),
        "API, queues": (get("/api/queues"), ALL_THAT_WAIT),
        "metrics": (get("/metrics"), 2 * ALL_THAT_WAIT),
        "prune tasks": (lambda: prune.prune_tasks(""), FEW),
        "prune steps": (lambda: prune.prune_steps(""), FEW),
        "prune answers": (lambda: prune.prune_answers(""), FEW),
        "prune documents": (lambda: orphans.prune_documents(""), FEW),
        "prune samples": (lambda: prune_rows.prune_samples(""), FEW),
        "prune workers": (lambda: prune_rows.prune_workers(""), FEW),
    }
    assert _wrong(asked) == []


def _wrong(asked: dict[str, tuple[Callable[[], object], int]]) -> list[str]:
    """What reads too much, in a sentence each."""
    found = []
    for name, (work, most) in asked.items():
        before = rows_touched(TASK)
        sent = statements_of(work)
        if (fetched := rows_touched(TASK) - before) > most:
            found.append(f"{name} fetches {fetched} tasks, expected {most} at most")
        for statement in sent:
            if whole := read_whole(statement) & BIG:
                found.append(f"{name} reads {whole} from end to end: {statement[0]}")
    return found


def _with_many_firings() -> Schedule:
    """One that fired each five seconds for a day, and whose tasks are over."""
    schedule = Schedule.objects.create(name="often", kind=KINDS[0], interval=timedelta(seconds=5))
    now = timezone.now()
    over = Task.objects.finished().order_by("pk").values_list("pk", flat=True)[:20_000]
    rows = [
        Firing(schedule=schedule, due_at=now - timedelta(seconds=5 * place), outcome="fired", task_id=task_id)
        for place, task_id in enumerate(over)
    ]
    Firing.objects.bulk_create(rows, batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tasks_app_firing")
    return schedule


def _many_attempts() -> None:
    """One of each task that is over: with few, to read them all is the better plan."""
    over = Task.objects.finished().exclude(pk__in=Attempt.objects.values("task")).values_list("pk", flat=True)
    now = timezone.now()
    rows = [Attempt(task_id=one, number=1, outcome=Outcome.SUCCEEDED, finished_at=now) for one in over]
    Attempt.objects.bulk_create(rows, batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tasks_app_attempt")


def _many_samples() -> None:
    """A day of them, one each second."""
    now = timezone.now()
    figures = dict.fromkeys(("depth", "running", "workers", "arrivals", "completions", "oldest_seconds"), 1)
    rows = [
        QueueSample(queue=queue, at=now - timedelta(seconds=second), drain_minutes=1, **figures)
        for second in range(20_000)
        for queue in ("gpu", "cpu")
    ]
    QueueSample.objects.bulk_create(rows, batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tasks_app_queuesample")
        # What helpers of a query read is not counted.
        cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
