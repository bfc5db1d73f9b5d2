"""Stop, retry, and the whole after a try, as forms: they work without scripts."""

from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import take_in
from tasks_app.kinds.registry import find
from tasks_app.lifecycle.cancel import WrongState
from tasks_app.lifecycle.cancel import cancel as cancel_task
from tasks_app.lifecycle.quota import QuotaExceeded
from tasks_app.lifecycle.retry import TwinActive
from tasks_app.lifecycle.retry import retry as retry_task

from .access import UserRequest, View, of_user, own_task
from .again import address_again, had_secrets
from .words import STATES


def by_form(view: View) -> View:
    """For a user's own task. A GET does nothing: it comes from the login page, where the session ended meanwhile."""

    @wraps(view)
    def checked(request: UserRequest, task_id: UUID) -> HttpResponseBase:
        own_task(request, task_id)
        if request.method == "POST":
            return view(request, task_id)
        messages.warning(request, "Nothing was done. If you still want it, press the button again.")
        return redirect("task", task_id=task_id)

    return of_user(require_http_methods(["GET", "HEAD", "POST"])(checked))


@by_form
def cancel(request: UserRequest, task_id: UUID) -> HttpResponse:
    try:
        cancel_task(task_id)
    except WrongState as error:
        messages.warning(request, f"There was nothing to stop: it is over ({STATES[error.status].lower()}).")
    return redirect("task", task_id=task_id)


@by_form
def retry(request: UserRequest, task_id: UUID) -> HttpResponse:
    try:
        retry_task(task_id, from_scratch=request.POST.get("from_scratch") == "1")
    except WrongState as error:
        messages.warning(request, f"There is nothing to retry: its state is “{STATES[error.status].lower()}”.")
    except TwinActive as error:
        messages.info(request, "You submitted the same again meanwhile, and it is being worked on: here it is.")
        return redirect("task", task_id=error.twin_id)
    return redirect("task", task_id=task_id)


@by_form
def whole(request: UserRequest, task_id: UUID) -> HttpResponse:
    """Submit again what was tried on some pages, for all of the same document."""
    row = own_task(request, task_id)
    if had_secrets(row):
        messages.info(request, "Passwords are not kept: enter it again, and start.")
        return redirect(address_again(row, without="pages"))
    kind = find(row.kind)
    known = kind.form.base_fields if kind and kind.form else {}
    fields = {name: value for name, value in row.kwargs.items() if name in known and name != "pages"}
    try:
        taken = take_in(
            kind=row.kind,
            owner=request.user,
            fields=fields,
            file=None,
            document_id=row.document_id,
            fresh=row.fresh,
        )
    except InvalidInput as error:
        messages.warning(request, str(error))
        return redirect(address_again(row, without="pages"))
    except QuotaExceeded as error:
        messages.warning(request, str(error))
        return redirect("task", task_id=task_id)
    if not taken.created:
        messages.info(request, "This is already being worked on: here it is.")
    return redirect("task", task_id=taken.task.pk)
