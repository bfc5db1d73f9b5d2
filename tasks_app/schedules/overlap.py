"""What becomes of the tasks of earlier firings that are still active when the next one is due."""

from uuid import UUID

from django.db.models import Exists, OuterRef

from tasks_app.exceptions import LonghaulError
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Firing, Overlap, Schedule, Task

CANCELLED_AT_ONCE = 100


class OlderIsHeld(LonghaulError):
    """Somebody holds the row of an older task, which is to be cancelled: it is tried again later."""

    code = "older_is_held"

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(f"An older task of “{schedule.name}” is being written this moment; try again.")


def give_way(schedule: Schedule) -> str:
    """Cancel the older tasks if that is the policy; why there is to be no new one, or "". Raises OlderIsHeld."""
    if schedule.overlap == Overlap.QUEUE:
        return ""
    older = _older(schedule)
    if schedule.overlap == Overlap.CANCEL:
        _cancel(schedule, [pk for pk, _ in older])
        return ""
    return f"Task {older[0][0]} of an earlier firing is still {older[0][1]}." if older else ""


def _older(schedule: Schedule) -> list[tuple[UUID, str]]:
    """The active tasks that it made for whom it makes them now, oldest first, each with its state.

    By owner and state, of which there is an index: else each firing would read every task there ever was.
    """
    fired = Exists(Firing.objects.filter(schedule=schedule, task=OuterRef("pk")))
    active = Task.objects.active().owned_by(schedule.owner_id).filter(fired).order_by()
    # Put in order here: to do it there, SQLite would read all tasks in the order of their ids.
    return sorted(active.values_list("pk", "status")[:CANCELLED_AT_ONCE])


def _cancel(schedule: Schedule, ids: list[UUID]) -> None:
    # A frozen writer must not freeze the tick; and whoever ends meanwhile is not cancelled any more.
    rows = Task.objects.active().filter(pk__in=ids).order_by("pk")
    held = list(rows.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
    if len(held) < len(ids):
        raise OlderIsHeld(schedule)
    for task_id in held:
        cancel(task_id)
