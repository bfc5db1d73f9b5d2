"""Stop and retry, as forms: they work without scripts."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from tasks_app.lifecycle import cancel as stopping
from tasks_app.lifecycle import retry as retrying

from .access import UserRequest, of_user, own_task
from .words import STATES


@of_user
@require_POST
def cancel(request: UserRequest, task_id: UUID) -> HttpResponse:
    own_task(request, task_id)
    try:
        stopping.cancel(task_id)
    except stopping.WrongState as error:
        messages.warning(request, f"There was nothing to stop: it is over ({STATES[error.status].lower()}).")
    return redirect("task", task_id=task_id)


@of_user
@require_POST
def retry(request: UserRequest, task_id: UUID) -> HttpResponse:
    own_task(request, task_id)
    try:
        retrying.retry(task_id, from_scratch=request.POST.get("from_scratch") == "1")
    except retrying.WrongState as error:
        messages.warning(request, f"There is nothing to retry: its state is “{STATES[error.status].lower()}”.")
    except retrying.TwinActive as error:
        messages.info(request, "You submitted the same again meanwhile, and it is being worked on: here it is.")
        return redirect("task", task_id=error.twin_id)
    return redirect("task", task_id=task_id)
