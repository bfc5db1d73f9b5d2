"""How long things are kept, and the chunks in which what was kept long enough is removed."""

from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from tasks_app.models import Status, Task
from tasks_app.models.task import TaskQuerySet

# Tasks of nobody of kinds with this prefix, such as a check each minute, are kept as long as samples.
SYSTEM = "system."


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a walk removed, and behind what it goes on; None: it is at its end."""

    removed: int
    after: str | None


def ago(days: float) -> CombinedExpression:
    """So long ago by the database's clock."""
    return Now() - timedelta(days=days)


def due_tasks() -> TaskQuerySet:
    """Finished tasks that are older than what is kept of their state."""
    kept = {
        Status.SUCCEEDED: settings.LONGHAUL_KEEP_SUCCEEDED_DAYS,
        Status.FAILED: settings.LONGHAUL_KEEP_FAILED_DAYS,
        Status.CANCELLED: settings.LONGHAUL_KEEP_CANCELLED_DAYS,
    }
    due = [_older(Task.objects.in_status(status), days) for status, days in kept.items()]
    system = Task.objects.in_status(Status.SUCCEEDED).owned_by(None).filter(kind__startswith=SYSTEM)
    due.append(_older(system, settings.LONGHAUL_KEEP_SAMPLES_DAYS))
    # The shortest of all once more: what the index on finished_at is asked for.
    shortest = min(*kept.values(), settings.LONGHAUL_KEEP_SAMPLES_DAYS)
    return _older(Task.objects.finished(), shortest) & reduce(or_, due)


def settled_tasks() -> TaskQuerySet:
    """Tasks that nobody can retry, older than what is kept of their steps."""
    succeeded = Task.objects.in_status(Status.SUCCEEDED).filter(failed_items=0)
    return _older(succeeded, settings.LONGHAUL_KEEP_STEPS_DAYS)


def steps_kept_days() -> float:
    return _at_least_remembered(settings.LONGHAUL_KEEP_STEPS_DAYS)


def _older(tasks: TaskQuerySet, days: int) -> TaskQuerySet:
    return tasks.filter(finished_at__lte=ago(_at_least_remembered(days)))


def _at_least_remembered(days: int) -> float:
    """Not while an answer may still be used again, or a submission be repeated by its key."""
    hours = max(settings.LONGHAUL_REUSE_ANSWERS_HOURS, settings.LONGHAUL_IDEMPOTENCY_KEY_HOURS)
    return max(days, hours / 24)
