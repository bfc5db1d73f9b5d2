"""A durable step next to a bare insert of the same row: statement against statement, and next to the ORM's create."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import connection
from django.db.models.sql import InsertQuery

from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import AttemptRef, StepResult, StepStatus, Task
from tasks_app.work.context import Context
from tasks_app.work.values import stored
from tests.support.rows import make_task, make_worker, start

from .samples import ratio_of_medians, spread, timed
from .scale import Scale
from .site import Site
from .table import Row, Table

# Prepares a new row, and gives what is to be timed.
type Way = Callable[[], Callable[[], Any]]

AIM = 1.3
# What a model says about a page.
ANSWER = {"pages": [1, 1], "text": "The harbour was quiet in the early morning. " * 12, "truncated": False}
BARE = "bare insert, plain statement"
CREATE = "bare insert, ORM create"
SAVE = "guarded save of a step (save_step)"
WHOLE = "whole step (Context.step), its guard at the start included"


def measure(scale: Scale) -> Table:
    with Site() as site, TemporaryDirectory() as folder:
        task = make_task(site.user)
        start(task, make_worker())
        task.refresh_from_db()
        ways = Ways(task, workdir=Path(folder)).all()
        rounds = [_round(ways, scale.steps) for _ in range(scale.rounds)]
    samples = {name: [one[name] for one in rounds] for name in ways}
    return Table(
        title=f"A durable step, {connection.display_name}",
        how=f"One connection, in turns, {_durability()}. Ratio: of medians, the median of {scale.rounds} rounds.",
        rows=[_row(name, samples) for name in ways],
    )


class Ways:
    """The ways to keep the same row of one task, each call at a new index."""

    def __init__(self, task: Task, *, workdir: Path) -> None:
        self._ref: AttemptRef = task.ref
        self._context = Context(task, workdir=workdir, limit_seconds=3600)
        # Above those that the context uses.
        self._index = itertools.count(1_000_000)

    def all(self) -> dict[str, Way]:
        return {BARE: self._bare, CREATE: self._create, SAVE: self._save, WHOLE: self._whole}

    def _bare(self) -> Callable[[], Any]:
        query = InsertQuery(StepResult)
        query.insert_values(StepResult._meta.concrete_fields[1:], [self._row()])
        (statement, values), *_ = query.get_compiler(connection=connection).as_sql()
        return partial(_execute, statement, values)

    def _create(self) -> Callable[[], Any]:
        return partial(self._row().save, force_insert=True)

    def _save(self) -> Callable[[], Any]:
        return partial(save_step, self._ref, _record(next(self._index)))

    def _whole(self) -> Callable[[], Any]:
        return partial(self._context.step, "generate", lambda: ANSWER)

    def _row(self) -> StepResult:
        record = _record(next(self._index))
        columns = {name: getattr(record, name) for name in StepRecord.__dataclass_fields__ if name != "value"}
        return StepResult(task_id=self._ref.task_id, attempt=self._ref.number, version=1, **columns, **record.value)


def _record(index: int) -> StepRecord:
    return StepRecord(
        index=index,
        name="generate",
        key=f"{index:064}",
        is_item=True,
        status=StepStatus.SUCCEEDED,
        duration_seconds=0.25,
        value=stored(ANSWER, name="small"),
    )


def _execute(statement: str, values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _round(ways: dict[str, Way], turns: int) -> dict[str, list[float]]:
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            samples[name].append(timed(way()))
    return samples


def _row(name: str, samples: dict[str, list[list[float]]]) -> Row:
    ratio = ratio_of_medians(samples[name], samples[BARE])
    to_orm = ratio_of_medians(samples[name], samples[CREATE])
    return Row(
        what=name,
        measured=spread(itertools.chain(*samples[name])),
        ratio="" if name == BARE else f"{ratio:.2f} x plain, {to_orm:.2f} x ORM",
        aim=f"<= {AIM} x plain" if name == SAVE else "",
        is_met=ratio <= AIM if name == SAVE else None,
    )


def _durability() -> str:
    """What a commit promises here."""
    setting = "PRAGMA synchronous" if connection.vendor == "sqlite" else "SHOW synchronous_commit"
    with connection.cursor() as cursor:
        cursor.execute(setting)
        value = cursor.fetchone()[0]
    names = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}
    return f"{setting.split()[1]} = {names.get(value, value)}"
