"""What users may have: how many tasks queued or running, and how many waiting."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection

from tasks_app.models import Allowance
from tasks_app.models.account import Limits, limit, usual_limits
from tasks_app.models.compiled import compiled

# Stands for the owner in a statement that serves all of them.
ANYBODY = -1


def allowance_of(owner_ids: Collection[int]) -> dict[int, Limits]:
    """The limits of each of these users, by one query: own number, else the largest of the groups, else the setting."""
    usual = usual_limits()
    owners = get_user_model().objects.filter(pk__in=owner_ids).order_by()
    rows = owners.values_list(
        "pk",
        limit("active_tasks", usual.active, own="allowance__active_tasks", owner="pk"),
        limit("waiting_tasks", usual.waiting, own="allowance__waiting_tasks", owner="pk"),
    )
    return {owner_id: Limits(active, waiting) for owner_id, active, waiting in rows}


def locked_limits(owner_id: int, *, skip_locked: bool = False) -> Limits | None:
    """Inside a transaction: the user's limits, their row locked until its end. None: there is no row.

    Whoever admits or submits for this user waits here, and then counts what we did. `skip_locked`: None, too, where
    somebody holds it.
    """
    statement, values = compiled(_limits, ANYBODY, usual_limits())
    lock = ""
    if connection.features.has_select_for_update:
        lock = f"FOR UPDATE {'SKIP LOCKED' if skip_locked else ''}"
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} {lock}", for_owner(values, owner_id))
        row = cursor.fetchone()
    return None if row is None else Limits(*row)


def for_owner(values: Collection[Any], owner_id: int | None) -> list[Any]:
    """The values of a statement that was compiled for ANYBODY."""
    return [owner_id if value == ANYBODY else value for value in values]


def _limits(owner_id: int, usual: Limits) -> Any:
    rows: Any = Allowance.objects.with_limits(usual).filter(owner=owner_id)
    return rows.values_list("active_limit", "waiting_limit")
