"""The tries of a step that has no result yet, over all attempts since the last manual retry."""

from uuid import UUID

from django.db import transaction

from tasks_app.models import AttemptRef, StepTries

from .guard import touch

type Tried = dict[int, tuple[str, int]]


def record_try(ref: AttemptRef, index: int, *, key: str, tries: int) -> None:
    """Keep that the step under `index` was tried `tries` times in vain. Raises NotOwner.

    The row stays when the step succeeds: its result goes before it, and to delete it would cost every step a statement.
    """
    with transaction.atomic():
        touch(ref)
        StepTries.objects.bulk_create(
            [StepTries(task_id=ref.task_id, index=index, key=key, tries=tries, attempt=ref.number)],
            update_conflicts=True,
            unique_fields=["task", "index"],
            update_fields=["key", "tries", "attempt"],
        )


def counted_tries(task_id: UUID) -> Tried:
    """(key, tries) by the step's index."""
    rows = StepTries.objects.counted().filter(task_id=task_id)
    return {index: (key, tries) for index, key, tries in rows.values_list("index", "key", "tries")}
