"""Reads the body of a submission, which is JSON or a multipart form."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

import pydantic
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from ninja import Schema

from tasks_app.conf import most_body_bytes
from tasks_app.text import clean, clean_json

from .envelope import Envelope, JsonSubmission
from .problems import Problem, WrongFields
from .wrong_fields import sentences

IDEMPOTENCY_KEY_CHARACTERS = 200
# Of the page's forms, and no input of a kind.
CSRF_FIELD = "csrfmiddlewaretoken"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was sent. `fields`: the input of the kind, not yet checked."""

    envelope: Envelope
    fields: Mapping[str, Any]
    file: "UploadedFile[Any] | None" = None


def refuse_oversized(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 413 by the declared length, before anything is read: the check of CSRF already reads a form."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        declared = request.META.get("CONTENT_LENGTH") or "0"
        limit = settings.LONGHAUL_MAX_UPLOAD_BYTES
        if "Transfer-Encoding" in request.headers or not declared.isdecimal():
            return Problem(411, "Send the header Content-Length: what has no end in sight is not read.").response()
        if int(declared) > most_body_bytes():
            text = f"The request is too large: a file may have {limit / 2**20:g} MB at most."
            return Problem(413, text, code="too_large", errors={"file": [text]}).response()
        return view(request, *args, **kwargs)

    return checked


def read_submission(request: HttpRequest) -> Submitted:
    """Raises Problem: malformed (400), of another media type (415), with wrong fields (422)."""
    if request.content_type == "application/json":
        return _from_json(read_json(request))
    if request.content_type == "multipart/form-data":
        return _from_form(request)
    raise Problem(
        415,
        "Send JSON (Content-Type: application/json) or a form with a file (multipart/form-data).",
        headers={"Accept-Post": "application/json, multipart/form-data"},
    )


def read_json(request: HttpRequest) -> Any:
    """The body with every text storable. Raises Problem where it is no JSON."""
    try:
        return clean_json(json.loads(request.body))
    except (ValueError, RecursionError) as error:
        raise Problem(400, f"The body is no JSON: {error}.", code="malformed") from error


def read_options[S: Schema](request: HttpRequest, schema: type[S]) -> S:
    """A small optional body, as JSON or as a form. Raises Problem."""
    if request.content_type in FORMS or not request.body:
        return _validated(schema, {name: request.POST[name] for name in request.POST if name != CSRF_FIELD})
    if request.content_type != "application/json":
        raise Problem(415, "Send JSON (Content-Type: application/json), or no body at all.")
    options = read_json(request)
    if not isinstance(options, dict):
        raise WrongFields({"body": ["Expected a JSON object."]})
    return _validated(schema, options)


def refuse_unknown(request: HttpRequest, schema: type[Schema]) -> None:
    """A parameter that is mistyped must not be taken for none. Raises WrongFields."""
    known = schema.model_fields
    unknown = [{"loc": (name,), "type": "extra_forbidden"} for name in request.GET if name not in known]
    if unknown:
        raise WrongFields(sentences(unknown, known=known), code="invalid_request")


def idempotency_key(request: HttpRequest) -> str:
    """The header of that name, or "" without one. Raises WrongFields."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return ""
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= IDEMPOTENCY_KEY_CHARACTERS:
        raise WrongFields(
            {"Idempotency-Key": [f"Expected 1 to {IDEMPOTENCY_KEY_CHARACTERS} printable ASCII characters."]}
        )
    return key


def _from_json(body: Any) -> Submitted:
    if not isinstance(body, dict):
        raise Problem(422, "Expected a JSON object with kind and input.", code="invalid_input")
    submission = _validated(JsonSubmission, body)
    return Submitted(submission, submission.input)


def _from_form(request: HttpRequest) -> Submitted:
    file = _only_file(request)
    # The last value counts where a field comes twice, as everywhere in Django.
    sent = {name: clean(str(request.POST[name])) for name in request.POST if name != CSRF_FIELD}
    if "webhook_url" in sent:
        raise WrongFields(sentences([{"loc": ("webhook_url",), "type": "extra_forbidden"}]))
    about = {name: sent.pop(name) for name in Envelope.model_fields if name in sent}
    return Submitted(_validated(Envelope, about), sent, file)


def _only_file(request: HttpRequest) -> "UploadedFile[Any] | None":
    files = request.FILES
    wrong = [name for name in files if name != "file"]
    if wrong or len(files.getlist("file")) > 1:
        raise WrongFields({name: ["Expected one file, in the field “file”."] for name in wrong or ["file"]})
    file = files.get("file")
    return file if isinstance(file, UploadedFile) else None


def _validated[S: Schema](schema: type[S], data: Mapping[str, Any]) -> S:
    try:
        return schema.model_validate(data)
    except pydantic.ValidationError as error:
        raise WrongFields(sentences(error.errors(), known=schema.model_fields)) from None
