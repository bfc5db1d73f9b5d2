"""A document at an endpoint of fixed latency, next to what the calls alone would take."""

from math import ceil
from statistics import median

from django.db import connection
from django.db.models import Max, Min

from tasks_app.models import ModelCall, StepResult, Task
from tests.support.documents import marker_pdf

from .samples import spread
from .scale import Scale
from .site import Site
from .table import Row, Table

AIM = 1.1
ENDPOINT_SECONDS = 0.25
LANES = 4
ROUNDS = 3


def measure(scale: Scale) -> Table:
    with Site(LONGHAUL_MODEL_CONCURRENCY=str(LANES)) as site:
        site.endpoint.default(latency=ENDPOINT_SECONDS)
        site.house.ready_worker("gpu")
        site.house.scheduler()
        # The child is warm, as it is after its first task.
        site.ended(site.submit(marker_pdf(LANES), instruction="Warm up."), within=60)
        tasks = [_task(site, scale.pages, number) for number in range(min(ROUNDS, scale.rounds))]
        rows = _rows(tasks, scale.pages)
    return Table(
        title=f"{scale.pages} pages at an endpoint of {ENDPOINT_SECONDS * 1000:.0f} ms, {connection.display_name}",
        how=f"{LANES} calls at a time, one worker with a warm child, medians of {len(tasks)} tasks, by the clock of "
        f"the rows. The ideal: ceil({scale.pages} / {LANES}) x {ENDPOINT_SECONDS} s.",
        rows=rows,
    )


def _task(site: Site, pages: int, number: int) -> Task:
    ideal = ceil(pages / LANES) * ENDPOINT_SECONDS
    return site.ended(site.submit(marker_pdf(pages), instruction=f"Say what you see, {number}."), within=60 + 4 * ideal)


def _rows(tasks: list[Task], pages: int) -> list[Row]:
    ideal = ceil(pages / LANES) * ENDPOINT_SECONDS
    whole = median(_seconds(task.created_at, task.finished_at) for task in tasks)
    rows = [
        Row(
            what="submitted to succeeded",
            measured=f"{whole:.2f} s, ideal {ideal:.2f} s",
            ratio=f"{whole / ideal:.3f} x ideal",
            aim=f"< {AIM} x",
            is_met=whole / ideal < AIM,
        )
    ]
    stretches = [_stretches(task) for task in tasks]
    rows += [
        Row(
            what=name, measured=f"{(found := median(one[name] for one in stretches)):.2f} s", ratio=_share(found, ideal)
        )
        for name in stretches[0]
    ]
    durations = StepResult.objects.items().filter(task__in=tasks).values_list("duration_seconds", flat=True)
    rows.append(Row(what="of it: one page, its call and the call's rows", measured=spread(durations)))
    return rows


def _stretches(task: Task) -> dict[str, float]:
    """Seconds of what comes one after the other."""
    calls = ModelCall.objects.filter(task=task).aggregate(first=Min("sent_at"), last=Max("closed_at"))
    return {
        "of it: until a worker has claimed it": _seconds(task.created_at, task.started_at),
        "of it: reading and splitting the document": _seconds(task.started_at, calls["first"]),
        "of it: the calls, first to last": _seconds(calls["first"], calls["last"]),
        "of it: merging and ending": _seconds(calls["last"], task.finished_at),
    }


def _seconds(begin: object, end: object) -> float:
    seconds: float = (end - begin).total_seconds()  # type: ignore[operator]
    return seconds


def _share(seconds: float, ideal: float) -> str:
    return f"{seconds / ideal:.3f} x ideal"
