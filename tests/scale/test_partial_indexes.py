"""On SQLite a partial index serves a query only where the condition stands in the statement, not in a bound value."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Schedule, Task
from tasks_app.models.task import TaskQuerySet
from tasks_app.schedules.overlap import give_way

SERVICE = {"gpu": {"test"}}


def queries() -> dict[str, TaskQuerySet]:
    tasks = Task.objects
    return {
        "task_claimable": tasks.claimable("gpu", ["test"]),
        "task_admissible": tasks.admissible(SERVICE).owned_by(1),
        "task_expiry": tasks.expired(),
        "task_deadline": tasks.active().past_deadline(),
        "task_of_worker": tasks.running(),
        "task_depth": tasks.waiting().filter(queue="gpu", available_at__lte=Now()),
        "task_finished": tasks.finished().filter(finished_at__gt=Now()),
    }


@pytest.mark.django_db
@pytest.mark.parametrize("index", list(queries()))
def test_a_hot_query_is_served_by_its_index(index: str) -> None:
    assert f"INDEX {index}" in queries()[index].explain()


@pytest.mark.django_db
def test_a_firing_looks_for_older_tasks_only_among_those_of_its_owner_that_are_active() -> None:
    schedule = Schedule.objects.create(name="s", kind="test", interval=timedelta(seconds=5))
    with CaptureQueriesContext(connection) as asked:
        give_way(schedule)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked.captured_queries[0]['sql']}")
        plan = [row[3] for row in cursor.fetchall()]
    assert any("INDEX task_list_by_status (owner_id=? AND status=?)" in part for part in plan), plan
    assert not any(part.startswith("SCAN") for part in plan), plan
