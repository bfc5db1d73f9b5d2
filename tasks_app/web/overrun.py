"""What the page says of a task that does not stop when it should. The script says the same (static/web/overrun.js)."""

from datetime import datetime, timedelta

from tasks_app.models import Status, Task

from .words import OVERRUNS

# An attempt that ends itself at its limit is not one that overran it.
MARGIN = timedelta(seconds=1)
# Every stop within a model call is faster.
PATIENCE = timedelta(seconds=10)


def overrun(task: Task, *, now: datetime) -> str:
    """A sentence, or nothing. `now`: of the database's clock, as the times of the row are."""
    if task.status != Status.RUNNING or task.claimed_at is None:
        return ""
    limit = f"{task.attempt_timeout.total_seconds():.0f}"
    if task.deadline_at is not None and now > task.deadline_at + MARGIN:
        return OVERRUNS["deadline"]
    if now > task.claimed_at + task.attempt_timeout + MARGIN:
        return OVERRUNS["limit"].replace("{limit}", limit)
    if task.cancel_requested_at is not None and now > task.cancel_requested_at + PATIENCE:
        return OVERRUNS["stop"].replace("{limit}", limit)
    return ""
