from typing import Any

from django.db.models import F

from tasks_app.exceptions import NotOwner
from tasks_app.models import AttemptRef, Task
from tasks_app.signals import emit, task_changed


def touch(ref: AttemptRef, **changes: Any) -> int:
    """The guard that begins every write of an attempt, inside its transaction. Returns the task's new version.

    It locks the row, so that versions follow commits. Raises NotOwner where the attempt no longer owns the task.
    """
    if not Task.objects.held_by(ref).update(version=F("version") + 1, **changes):
        raise NotOwner(str(ref))
    version, owner_id = Task.objects.values_list("version", "owner_id").get(pk=ref.task_id)
    emit(task_changed, task_id=ref.task_id, owner_id=owner_id, version=version)
    return version


def changed(task: Task) -> None:
    """Tell of a change that was made to this row in the transaction in hand; `task` was read in it."""
    emit(task_changed, task_id=task.pk, owner_id=task.owner_id, version=task.version)
