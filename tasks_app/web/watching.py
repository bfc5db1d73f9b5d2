"""The page of one task: state and results as they stand, which its script then keeps up to date."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tasks_app import presentation
from tasks_app.kinds.registry import find
from tasks_app.lifecycle.clock import database_now
from tasks_app.models import StepResult, Task

from . import words
from .access import UserRequest, of_user, own_task
from .again import address_again, address_of_form
from .card import reads_pages
from .overrun import overrun
from .shown import show
from .shown_attempts import ShownAttempt
from .shown_steps import ShownStep, show_steps

STEPS_ON_A_PAGE = 250


@of_user
@require_safe
def task(request: UserRequest, task_id: UUID) -> HttpResponse:
    # The task is read before its steps: whatever is written in between comes again as an event.
    row = own_task(request, task_id)
    shown = show(row)
    now = database_now()
    after = _after(request)
    steps = _steps(row, after=after)
    more = len(steps) > STEPS_ON_A_PAGE
    context = {
        "shown": shown,
        "steps": steps[:STEPS_ON_A_PAGE],
        "more_after": steps[STEPS_ON_A_PAGE - 1].data["index"] if more else None,
        "after": after,
        "others": _others(row, up_to=after),
        "whole": _whole(row),
        "first_failed": StepResult.objects.filter(task=row).items().failed().first(),
        "with_document": address_of_form(kind=row.kind, document=row.document),
        "with_password": address_again(row),
        "reads_pages": reads_pages(find(row.kind)),
        "formats": words.FORMATS,
        "words": words.of_page(),
        "now": now,
        "overrun": overrun(row, now=now),
        "attempts": [ShownAttempt(one) for one in presentation.attempt_objects(row)] if row.attempt > 1 else [],
    }
    return render(request, "web/task.html", context)


def _after(request: UserRequest) -> int:
    text = request.GET.get("after", "")
    return int(text) if text.isdecimal() and len(text) < 9 else -1


def _steps(row: Task, *, after: int) -> list[ShownStep]:
    """One more than a page holds, to know whether there is more."""
    found = StepResult.objects.filter(task=row, index__gt=after).current().order_by("index")[: STEPS_ON_A_PAGE + 1]
    unit = str(row.kwargs.get("unit", ""))
    return list(show_steps(map(presentation.step_object, found), unit=unit, others=_others(row, up_to=after)))


def _others(row: Task, *, up_to: int) -> int:
    """Steps that are no items, as far as the list does not show them."""
    if up_to < 0:
        return 0
    return StepResult.objects.filter(task=row, index__lte=up_to, is_item=False).current().count()


def _whole(row: Task) -> ShownStep | None:
    """The step that tells of the whole document, if there is one."""
    found = StepResult.objects.filter(task=row, value__whole=True).items().last()
    return ShownStep(presentation.step_object(found), "", 0) if found else None
