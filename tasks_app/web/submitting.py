"""The submission card and the list below it."""

from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from tasks_app.conf import most_body_bytes
from tasks_app.documents.errors import FileTooLarge
from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.document_options import TRY_FIRST
from tasks_app.kinds.intake import InvalidFields, take_in
from tasks_app.kinds.registry import find
from tasks_app.lifecycle.quota import QuotaExceeded
from tasks_app.lifecycle.submit import Submission

from . import words
from .access import UserRequest, View, of_user
from .card import Card, Refusal, Sent, empty_card, reads_pages, refused_card, sent_by
from .listing import cursor, listing


def refuse_oversized(view: View) -> View:
    """Answer 413 by the declared length, before anything is read."""

    @wraps(view)
    def checked(request: UserRequest) -> HttpResponseBase:
        if int(request.META.get("CONTENT_LENGTH") or 0) <= most_body_bytes():
            return view(request)
        sentence = f"That file is too large: a file may have {words.size(settings.LONGHAUL_MAX_UPLOAD_BYTES)} at most."
        return _page(request, empty_card(request, Refusal({"file": [sentence]}, status=413)))

    return checked


@of_user
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@refuse_oversized
@csrf_protect
def _tasks(request: UserRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, empty_card(request))
    sent = sent_by(request)
    taken = _take(request, sent)
    if isinstance(taken, Refusal):
        return _page(request, refused_card(request, sent, taken))
    if not taken.created:
        messages.info(request, "This is already being worked on: here it is.")
    return redirect("task", task_id=taken.task.pk)


# The check of CSRF reads the form, file and all: it comes after the look at the length.
tasks = csrf_exempt(_tasks)


def _take(request: UserRequest, sent: Sent) -> Submission | Refusal:
    if "try_first" in request.POST and reads_pages(find(sent.kind)):
        sent.fields["pages"] = TRY_FIRST
    document_id = sent.document.pk if sent.document else None
    try:
        return take_in(
            kind=sent.kind,
            owner=request.user,
            fields=sent.fields,
            file=sent.file,
            document_id=document_id,
            fresh=sent.fresh,
        )
    except InvalidFields as error:
        return Refusal(error.errors | _file_again(sent), status=400)
    except InvalidInput as error:
        status = 413 if isinstance(error, FileTooLarge) else 400
        return Refusal({error.field or "": [str(error)]}, status=status)
    except QuotaExceeded as error:
        again = _file_again(sent) if sent.file else {}
        return Refusal({"": [str(error)]} | again, status=429, retry_after_seconds=error.retry_after_seconds)


def _file_again(sent: Sent) -> dict[str, list[str]]:
    """A browser does not keep a chosen file over a reload."""
    kind = find(sent.kind)
    if sent.document or kind is None or not kind.takes_document:
        return {}
    return {"file": ["Please choose the file again." if sent.file else "Choose a file, too."]}


def _page(request: UserRequest, card: Card) -> HttpResponse:
    context: dict[str, Any] = {
        "card": card,
        "listing": listing(request.user.pk, before=cursor(request.GET.get("before"))),
        "words": words.of_page(),
        "file_dialogue": words.FILE_DIALOGUE,
        "file_sorts": words.file_sorts(),
        "try_first": words.TRY_FIRST,
        "max_bytes": settings.LONGHAUL_MAX_UPLOAD_BYTES,
        "max_size": words.size(settings.LONGHAUL_MAX_UPLOAD_BYTES),
    }
    page = render(request, "web/tasks.html", context, status=card.refusal.status)
    if card.refusal.retry_after_seconds:
        page["Retry-After"] = str(card.refusal.retry_after_seconds)
    return page
