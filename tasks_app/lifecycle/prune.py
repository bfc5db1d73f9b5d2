"""Pruning: finished tasks that were kept long enough, with all that belongs to them.

A walk removes one bounded chunk and says behind what the next one begins, so that it can be interrupted anywhere. Rows
go first, in one transaction; their files after it. What dies between the two leaves files that `orphans` finds.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from tasks_app.models import ModelCall, StepResult, Task

from .clock import database_now
from .orphans import remove_files, remove_result_folder
from .retention import Chunk, due_tasks, settled_tasks, steps_kept_days

# Of one chunk: tasks looked at, and about how many rows may hang on them; rows of steps or calls.
TASKS_AT_ONCE, PARTS_AT_ONCE = 500, 5000
ROWS_AT_ONCE = 2000

# A task, when it ended, and how many parts it has.
type Found = tuple[UUID, datetime, int]


def prune_tasks(after: str) -> Chunk:
    """Remove tasks that are older than what is kept of their state. One that somebody holds stays for the next time."""
    found = _due_behind(after)
    if not found:
        return Chunk(0, None)
    with transaction.atomic():
        # Looked at again under the lock: somebody may have retried one meanwhile.
        locked = due_tasks().filter(pk__in=[pk for pk, _, _ in found]).select_for_update(skip_locked=True, of=("self",))
        doomed = dict(locked.values_list("pk", "value_file"))
        files = [*doomed.values(), *_files_of(StepResult.objects.filter(task__in=doomed))]
        Task.objects.finished().filter(pk__in=doomed).only("pk").delete()
    remove_files(files)
    for task_id in doomed:
        remove_result_folder(task_id)
    last, moment, _ = found[-1]
    return Chunk(len(doomed), f"{moment.isoformat()} {last}")


def prune_steps(after: str) -> Chunk:
    """Remove the steps of settled tasks that are no part of the result, superseded ones too."""
    seen = _old(StepResult.objects.all(), after, made="created_at")
    if not seen:
        return Chunk(0, None)
    with transaction.atomic():
        unneeded = StepResult.objects.filter(Q(is_item=False) | Q(superseded=True), pk__in=seen)
        unneeded = unneeded.filter(task__in=_settled_of(unneeded))
        files = _files_of(unneeded)
        removed, _ = unneeded.delete()
    remove_files(files)
    return Chunk(removed, str(seen[-1]))


def prune_answers(after: str) -> Chunk:
    """Empty the answers to calls of settled tasks, whose parts hold them. The rows stay: they say what it cost."""
    seen = _old(ModelCall.objects.all(), after, made="sent_at")
    if not seen:
        return Chunk(0, None)
    answered = ModelCall.objects.filter(pk__in=seen, answer__isnull=False)
    return Chunk(answered.filter(task__in=_settled_of(answered)).update(answer=None), str(seen[-1]))


def _old(rows: QuerySet[StepResult] | QuerySet[ModelCall], after: str, *, made: str) -> list[int]:
    """The next rows by number, in which they were made; none once these are too young.

    Not those of a certain age: to find that there are no more of them, the database would read all that are younger.
    """
    page = rows.filter(pk__gt=int(after or 0)).order_by("pk").values_list("pk", made)[:ROWS_AT_ONCE]
    before = database_now() - timedelta(days=steps_kept_days())
    found = list(page)
    return [pk for pk, _ in found] if any(at <= before for _, at in found) else []


def _due_behind(after: str) -> list[Found]:
    """Oldest end first, behind "<finished_at> <id>", or from the beginning."""
    ordered = due_tasks().order_by("finished_at", "pk")
    if after:
        moment, pk = after.split()
        at = datetime.fromisoformat(moment)
        ordered = ordered.filter(Q(finished_at__gt=at) | Q(pk__gt=UUID(pk)), finished_at__gte=at)
    rows = ordered.values_list("pk", "finished_at", "progress_total")[:TASKS_AT_ONCE]
    return _few([(pk, end, parts) for pk, end, parts in rows if end is not None])


def _few(found: list[Found]) -> list[Found]:
    """As many of them, at least one, as have few enough parts."""
    parts = 0
    for place, (_, _, total) in enumerate(found):
        parts += total + 1
        if parts > PARTS_AT_ONCE:
            return found[: max(place, 1)]
    return found


def _settled_of(rows: QuerySet[StepResult] | QuerySet[ModelCall]) -> list[UUID]:
    """The tasks of these rows that are settled: they stay so, whatever happens meanwhile."""
    ids = set(rows.values_list("task", flat=True))
    return list(settled_tasks().filter(pk__in=ids).values_list("pk", flat=True))


def _files_of(steps: QuerySet[StepResult]) -> list[str]:
    return list(steps.exclude(value_file="").values_list("value_file", flat=True))
