"""What becomes of the tasks of earlier firings that are still active when the next one is due."""

from uuid import UUID

from tasks_app.exceptions import LonghaulError
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Overlap, Schedule, Task

CANCELLED_AT_ONCE = 100


class OlderIsHeld(LonghaulError):
    """Somebody holds the row of an older task, which is to be cancelled: it is tried again later."""

    code = "older_is_held"

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(f"An older task of “{schedule.name}” is being written this moment; try again.")


def give_way(schedule: Schedule) -> str:
    """Cancel the older tasks if that is the policy; why there is to be no new one, or "". Raises OlderIsHeld."""
    older = Task.objects.active().filter(firing__schedule=schedule).order_by("pk")
    if schedule.overlap == Overlap.SKIP:
        task = older.first()
        return f"Task {task.pk} of an earlier firing is still {task.status}." if task else ""
    if schedule.overlap == Overlap.CANCEL:
        _cancel(schedule, list(older.values_list("pk", flat=True)[:CANCELLED_AT_ONCE]))
    return ""


def _cancel(schedule: Schedule, ids: list[UUID]) -> None:
    # A frozen writer must not freeze the tick; and whoever ends meanwhile is not cancelled any more.
    rows = Task.objects.active().filter(pk__in=ids).order_by("pk")
    held = list(rows.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
    if len(held) < len(ids):
        raise OlderIsHeld(schedule)
    for task_id in held:
        cancel(task_id)
