"""On SQLite a partial index serves a query only where the condition stands in the statement, not in a bound value."""

import pytest
from django.db.models.functions import Now

from tasks_app.models import Task
from tasks_app.models.task import TaskQuerySet

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
