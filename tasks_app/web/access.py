"""Who may see a page: its user, signed in, and no cache."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.cache import never_cache

from tasks_app.models import Task


class UserRequest(HttpRequest):
    """A request that has passed `of_user`."""

    user: User


View = Callable[..., HttpResponseBase]


def of_user(view: View) -> View:
    """For a signed-in user only (else: to the login page and back), and never stored by a browser or a proxy."""
    guarded: Any = never_cache(login_required(view))
    return guarded  # type: ignore[no-any-return]


def own_task(request: UserRequest, task_id: UUID) -> Task:
    """Raises Http404 for a task that is not there, and for another user's alike."""
    task = Task.objects.owned_by(request.user.pk).select_related("document").filter(pk=task_id).first()
    if task is None:
        raise Http404
    return task
