"""One page of a user's tasks, newest first, by keyset: what is added meanwhile shifts nothing."""

from dataclasses import dataclass
from uuid import UUID

from tasks_app.models import Task

from .shown import ShownTask, show_all

TASKS_ON_A_PAGE = 20


@dataclass(frozen=True, slots=True)
class Listing:
    """`older`: the id to go on before, if there is more. `newest`: nothing newer is left out."""

    tasks: list[ShownTask]
    older: UUID | None
    newest: bool


def listing(owner_id: int, *, before: UUID | None) -> Listing:
    rows = Task.objects.owned_by(owner_id).select_related("document").order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: TASKS_ON_A_PAGE + 1])
    page = found[:TASKS_ON_A_PAGE]
    return Listing(show_all(page), older=page[-1].pk if len(found) > len(page) else None, newest=before is None)


def cursor(text: str | None) -> UUID | None:
    """A cursor that is none leads to the first page."""
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
