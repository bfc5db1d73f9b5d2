"""Tasks that do nothing, as many a second as one worker performs, next to RQ's fork worker with the least of rows."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import psutil  # type: ignore[import-untyped]
from django.db import connection
from django.db.models import Max, Min, QuerySet

from tasks_app.kinds.ordering import order_of
from tasks_app.lifecycle.submit import submit
from tasks_app.models import Attempt, Task
from tests.support.programs import Program

from . import peer
from .kinds import noop
from .samples import ratio_of_medians
from .scale import Scale
from .site import Works
from .table import Row, Table

AIM = 8.0
NOBODYS = "tasks of nobody, as enqueue() makes them"
ONE_USERS = "tasks of one user, five admitted at a time"
PEER = "RQ's fork worker, one get and one update a job"
PATIENCE_SECONDS = 300
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Round:
    """`seconds`: of the clock between two ends. `cpu_seconds`: of the worker and its children, for one task."""

    seconds: float
    cpu_seconds: float


def measure(scale: Scale) -> Table:
    with Works() as works:
        peer.create_table()
        ways: dict[str, Callable[[], Round]] = {
            PEER: lambda: _peer(works, max(scale.tasks // 5, 2)),
            NOBODYS: lambda: _ours(works, scale.tasks, owner_id=None),
            ONE_USERS: lambda: _ours(works, scale.tasks, owner_id=works.user.pk),
        }
        works.house.scheduler()
        rounds = [{name: way() for name, way in ways.items()} for _ in range(scale.rounds)]
    return Table(
        title=f"Tasks that do nothing, {connection.display_name}",
        how=f"One worker each, in turns, {scale.rounds} rounds of {scale.tasks} tasks that were submitted before their "
        "worker started; by the clock of the rows, from the first end to the last: admitted, claimed, performed, "
        "recorded. CPU: of the worker and its children, without the database's.",
        rows=[_row(name, [one[name] for one in rounds], [one[PEER] for one in rounds]) for name in ways],
    )


def _ours(works: Works, number: int, *, owner_id: int | None) -> Round:
    """No worker is there yet, so that none of them is admitted before the clock runs."""
    tasks = [submit(order_of(noop, owner_id=owner_id, values={})).task.pk for _ in range(number)]
    worker = works.house.worker("cpu")
    ends = Attempt.objects.filter(task__in=tasks, finished_at__isnull=False)
    found = _round(worker, ends, number)
    if Task.objects.filter(pk__in=tasks).exclude(status="succeeded").exists():
        raise RuntimeError("not all tasks succeeded")
    return found


def _peer(works: Works, number: int) -> Round:
    peer.enqueue(works.house.redis_client, number)
    command = [sys.executable, "-m", "bench.peer_worker"]
    worker = Program("rq", command, env=works.house.environment(), log=works.house.folder / f"rq-{time.time()}.log")
    works.house.programs.append(worker)
    done = peer.PeerJob.objects.filter(done_at__isnull=False)
    return _round(worker, done, number, field="done_at")


def _round(worker: Program, done: QuerySet[Any], number: int, *, field: str = "finished_at") -> Round:
    """Watch it from the first end to the last, and stop it."""

    def wait_for(count: int) -> tuple[int, float]:
        until = time.monotonic() + PATIENCE_SECONDS
        while (now := done.count()) < count:
            if time.monotonic() > until or not worker.is_alive:
                raise RuntimeError(f"{now} of {number} were done:\n{worker.said[-2000:]}")
            time.sleep(LOOK_SECONDS)
        return now, _cpu_seconds(worker)

    before, at_first = wait_for(1)
    after, at_last = wait_for(number)
    bounds = done.aggregate(first=Min(field), last=Max(field))
    worker.stop()
    seconds = (bounds["last"] - bounds["first"]).total_seconds() / (number - 1)
    return Round(seconds, (at_last - at_first) / max(after - before, 1))


def _cpu_seconds(program: Program) -> float:
    times = [one.cpu_times() for one in (psutil.Process(program.pid), *program.children()) if one.is_running()]
    return float(sum(one.user + one.system + one.children_user + one.children_system for one in times))


def _row(name: str, rounds: list[Round], peers: list[Round]) -> Row:
    ratio = ratio_of_medians([[one.seconds] for one in peers], [[one.seconds] for one in rounds])
    rates = sorted(1 / one.seconds for one in rounds)
    cpu = median(one.cpu_seconds for one in rounds)
    return Row(
        what=name,
        measured=f"{median(rates):.0f}/s ({rates[0]:.0f} to {rates[-1]:.0f}), CPU {cpu * 1000:.1f} ms each",
        ratio="" if name == PEER else f"{ratio:.1f} x RQ",
        aim="" if name == PEER else f">= {AIM:.0f} x",
        is_met=None if name == PEER else ratio >= AIM,
    )
