"""The submission form and the list below it."""

from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from tasks_app.conf import most_body_bytes
from tasks_app.documents.errors import FileTooLarge
from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.document_form import DocumentForm
from tasks_app.kinds.intake import InvalidFields, take_in
from tasks_app.lifecycle.submit import Submission
from tasks_app.text import clean

from . import words
from .access import UserRequest, View, of_user
from .listing import cursor, listing

KIND = "document.generate"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a submission was not taken: sentences by field ("" for none of them), and the HTTP status."""

    errors: dict[str, list[str]] = field(default_factory=dict)
    status: int = 200


def refuse_oversized(view: View) -> View:
    """Answer 413 by the declared length, before anything is read."""

    @wraps(view)
    def checked(request: UserRequest) -> HttpResponseBase:
        if int(request.META.get("CONTENT_LENGTH") or 0) <= most_body_bytes():
            return view(request)
        sentence = f"That file is too large: a file may have {words.size(settings.LONGHAUL_MAX_UPLOAD_BYTES)} at most."
        return _page(request, DocumentForm(), Refusal({"file": [sentence]}, status=413))

    return checked


@of_user
@require_http_methods(["GET", "HEAD", "POST"])
@refuse_oversized
@csrf_protect
def _tasks(request: UserRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, DocumentForm(), Refusal())
    taken = _take(request)
    if isinstance(taken, Refusal):
        return _page(request, DocumentForm(request.POST), taken)
    if not taken.created:
        messages.info(request, "This is already being worked on: here it is.")
    return redirect("task", task_id=taken.task.pk)


# The check of CSRF reads the form, file and all: it comes after the look at the length.
tasks = csrf_exempt(_tasks)


def _take(request: UserRequest) -> Submission | Refusal:
    fields = {name: clean(str(request.POST[name])) for name in DocumentForm.base_fields if name in request.POST}
    try:
        return take_in(kind=KIND, owner=request.user, fields=fields, file=request.FILES.get("file"))
    except InvalidFields as error:
        return Refusal(error.errors | _file_again(request), status=400)
    except InvalidInput as error:
        status = 413 if isinstance(error, FileTooLarge) else 400
        return Refusal({error.field or "": [str(error)]}, status=status)


def _file_again(request: UserRequest) -> dict[str, list[str]]:
    """A browser does not keep a chosen file over a reload."""
    sentence = "Please choose the file again." if "file" in request.FILES else "Choose a file, too."
    return {"file": [sentence]}


def _page(request: UserRequest, form: DocumentForm, refusal: Refusal) -> HttpResponse:
    context: dict[str, Any] = {
        "values": {name: form[name].value() or "" for name in form.fields},
        "errors": refusal.errors | {"rest": refusal.errors.get("", [])},
        "listing": listing(request.user.pk, before=cursor(request.GET.get("before"))),
        "presets": words.preset_choices(),
        "units": words.unit_choices(),
        "words": words.WORDS,
        "file_dialogue": words.FILE_DIALOGUE,
        "max_bytes": settings.LONGHAUL_MAX_UPLOAD_BYTES,
        "max_size": words.size(settings.LONGHAUL_MAX_UPLOAD_BYTES),
        "max_instruction": settings.LONGHAUL_MAX_INSTRUCTION_CHARACTERS,
    }
    return render(request, "web/tasks.html", context, status=refusal.status)
