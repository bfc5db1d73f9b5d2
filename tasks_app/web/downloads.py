"""The result as a file, from the page's buttons."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from tasks_app.presentation.download import NotFinished, NothingYet, download
from tasks_app.presentation.results import MEDIA_TYPES, Format

from .access import UserRequest, of_user, own_task


@of_user
@require_safe
def result(request: UserRequest, task_id: UUID) -> HttpResponseBase:
    """`?format=md|json|jsonl &partial=1`: an attachment, or back to the task's page with the reason."""
    task = own_task(request, task_id)
    wanted = request.GET.get("format", "md")
    if wanted not in MEDIA_TYPES:
        raise Http404
    try:
        return download(request, task, fmt=cast(Format, wanted), partial=request.GET.get("partial") == "1")
    except NotFinished:
        messages.warning(request, "It is not finished yet. The buttons below give what there is so far.")
    except NothingYet:
        messages.warning(request, "There is nothing to download yet: no part is finished.")
    return redirect("task", task_id=task_id)
