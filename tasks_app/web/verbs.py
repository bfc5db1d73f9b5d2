"""Stop and retry, as forms: they work without scripts."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from tasks_app.lifecycle.cancel import WrongState
from tasks_app.lifecycle.cancel import cancel as cancel_task
from tasks_app.lifecycle.retry import TwinActive
from tasks_app.lifecycle.retry import retry as retry_task

from .access import UserRequest, of_user, own_task
from .words import STATES


@of_user
@require_POST
def cancel(request: UserRequest, task_id: UUID) -> HttpResponse:
    own_task(request, task_id)
    try:
        cancel_task(task_id)
    except WrongState as error:
        messages.warning(request, f"There was nothing to stop: it is over ({STATES[error.status].lower()}).")
    return redirect("task", task_id=task_id)


@of_user
@require_POST
def retry(request: UserRequest, task_id: UUID) -> HttpResponse:
    own_task(request, task_id)
    try:
        retry_task(task_id, from_scratch=request.POST.get("from_scratch") == "1")
    except WrongState as error:
        messages.warning(request, f"There is nothing to retry: its state is “{STATES[error.status].lower()}”.")
    except TwinActive as error:
        messages.info(request, "You submitted the same again meanwhile, and it is being worked on: here it is.")
        return redirect("task", task_id=error.twin_id)
    return redirect("task", task_id=task_id)
