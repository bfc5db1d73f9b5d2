"""The quota: how many tasks of a user may wait. It keeps one who floods from filling the table."""

from datetime import timedelta

from django.db.models.functions import Now

from tasks_app.exceptions import LonghaulError
from tasks_app.models import Allowance, Task
from tasks_app.models.account import Limits

from .allowance import locked_limits

# What a refused submission is told to wait, at least and at most; and of how long the pace is taken.
SHORTEST_SECONDS = 5
LONGEST_SECONDS = 600
PACE = timedelta(minutes=10)


class QuotaExceeded(LonghaulError):
    """The user has as many tasks waiting as there may be (429). `retry_after_seconds`: when a place may be free."""

    code = "quota_exceeded"

    def __init__(self, limit: int, *, retry_after_seconds: int) -> None:
        super().__init__(
            f"{_tasks(limit)} waiting already, which is as many as you may have. "
            f"Submit again in about {_span(retry_after_seconds)}, or cancel some that wait."
        )
        self.limit = limit
        self.retry_after_seconds = retry_after_seconds


def take_place(owner_id: int) -> None:
    """Inside the transaction that submits, before the row is written. Raises QuotaExceeded.

    The lock of the user's allowance makes it exact: of two submissions at once the second counts the first.
    """
    limit = _limits(owner_id).waiting
    if _is_full(owner_id, limit):
        raise QuotaExceeded(limit, retry_after_seconds=_seconds_to_a_place(owner_id))


def _limits(owner_id: int) -> Limits:
    limits = locked_limits(owner_id)
    if limits is None:
        # The user's first submission.
        Allowance.objects.get_or_create(owner_id=owner_id)
        limits = locked_limits(owner_id)
    if limits is None:
        raise AssertionError("no row of a user's allowance is ever deleted")
    return limits


def _is_full(owner_id: int, limit: int) -> bool:
    # Not the number of all that wait, which may be thousands.
    waiting = Task.objects.owned_by(owner_id).pending().order_by()
    return limit == 0 or waiting[limit - 1 : limit].exists()


def _seconds_to_a_place(owner_id: int) -> int:
    """A task that ends lets one that waits take its slot, so by the pace of the user's own tasks."""
    ended = Task.objects.owned_by(owner_id).finished().filter(started_at__isnull=False, finished_at__gt=Now() - PACE)
    most = LONGEST_SECONDS // SHORTEST_SECONDS
    count = ended.order_by()[:most].count()
    return (
        min(LONGEST_SECONDS, max(SHORTEST_SECONDS, round(PACE.total_seconds() / count))) if count else LONGEST_SECONDS
    )


def _tasks(limit: int) -> str:
    return "1 of your tasks is" if limit == 1 else f"{limit} of your tasks are"


def _span(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
