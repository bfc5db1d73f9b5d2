"""The page of one task: state and results as they stand, which its script then keeps up to date."""

from datetime import UTC, datetime
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tasks_app import presentation
from tasks_app.models import StepResult, Task

from . import words
from .access import UserRequest, of_user, own_task
from .shown import ShownStep, show

STEPS_ON_A_PAGE = 250


@of_user
@require_safe
def task(request: UserRequest, task_id: UUID) -> HttpResponse:
    # The task is read before its steps: whatever is written in between comes again as an event.
    row = own_task(request, task_id)
    shown = show(row)
    after = _after(request)
    steps = _steps(row, after=after)
    more = len(steps) > STEPS_ON_A_PAGE
    context = {
        "shown": shown,
        "steps": steps[:STEPS_ON_A_PAGE],
        "more_after": steps[STEPS_ON_A_PAGE - 1].data["index"] if more else None,
        "after": after,
        "first_failed": StepResult.objects.filter(task=row).items().failed().first(),
        "formats": words.FORMATS,
        "words": words.WORDS,
        "now": datetime.now(UTC),
    }
    return render(request, "web/task.html", context)


def _after(request: UserRequest) -> int:
    text = request.GET.get("after", "")
    return int(text) if text.isdecimal() and len(text) < 9 else -1


def _steps(row: Task, *, after: int) -> list[ShownStep]:
    """One more than a page holds, to know whether there is more."""
    found = StepResult.objects.filter(task=row, index__gt=after).current().order_by("index")
    unit = str(row.kwargs.get("unit", ""))
    return [ShownStep(presentation.step_object(step), unit) for step in found[: STEPS_ON_A_PAGE + 1]]
