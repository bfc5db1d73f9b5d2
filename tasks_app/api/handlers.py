"""The table from what a view raises to the problem that is answered."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.exceptions import BadRequest, ObjectDoesNotExist, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from tasks_app.documents.errors import FileTooLarge
from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import InvalidFields
from tasks_app.lifecycle.cancel import WrongState
from tasks_app.lifecycle.quota import QuotaExceeded
from tasks_app.lifecycle.retry import TwinActive
from tasks_app.lifecycle.submit import IdempotencyConflict
from tasks_app.presentation.download import NotFinished, NothingYet

from .problems import Problem, WrongFields
from .wrong_fields import sentences

logger = logging.getLogger(__name__)

type Turn = Callable[[Any], Problem]


def _unauthenticated(_error: AuthenticationError) -> Problem:
    return Problem(
        401,
        "Sign in, or send the header “Authorization: Bearer TOKEN”. `manage.py apitoken USER` prints a token.",
        headers={"WWW-Authenticate": 'Bearer realm="Longhaul"'},
    )


def _http_error(error: HttpError) -> Problem:
    if error.status_code == 400:
        return Problem(400, "The body could not be read: expected JSON.", code="malformed")
    return Problem(error.status_code, str(error))


def _invalid(error: InvalidInput) -> Problem:
    status = 413 if isinstance(error, FileTooLarge) else 422
    code = "too_large" if status == 413 else error.code
    return WrongFields({error.field or "input": [str(error)]}, code=code, status=status)


def _too_big(_error: RequestDataTooBig) -> Problem:
    return Problem(413, "The fields of the request are too large: send what is long as a file.", code="too_large")


def _malformed(_error: Exception) -> Problem:
    return Problem(400, "The request could not be read: it is malformed or was cut off.", code="malformed")


def _over_quota(error: QuotaExceeded) -> Problem:
    headers = {"Retry-After": str(error.retry_after_seconds)}
    return Problem(429, str(error), code=error.code, headers=headers, limit=error.limit)


def _not_found(_error: Exception) -> Problem:
    return Problem(404, "There is no such task, or it is not yours.")


def _database_away(error: Exception) -> Problem:
    logger.error("the database did not answer a request", exc_info=error)
    return Problem(
        503, "The database does not answer at the moment. Try again in a few seconds.", headers={"Retry-After": "5"}
    )


def _unexpected(error: Exception) -> Problem:
    logger.error("a request failed", exc_info=error)
    return Problem(500, "Something went wrong here that should not. It was logged.")


# The nearest class in an error's ancestry counts.
TURNS: dict[type[Exception], Turn] = {
    Problem: lambda error: error,
    AuthenticationError: _unauthenticated,
    HttpError: _http_error,
    ValidationError: lambda error: WrongFields(sentences(error.errors), code="invalid_request"),
    InvalidFields: lambda error: WrongFields(error.errors),
    InvalidInput: _invalid,
    IdempotencyConflict: lambda error: Problem(422, str(error), code=error.code),
    QuotaExceeded: _over_quota,
    WrongState: lambda error: Problem(409, str(error), code=error.code),
    TwinActive: lambda error: Problem(409, str(error), code=error.code, id=str(error.twin_id)),
    NotFinished: lambda error: Problem(409, str(error), code=error.code),
    NothingYet: lambda error: Problem(404, str(error), code=error.code),
    Http404: _not_found,
    ObjectDoesNotExist: _not_found,
    RequestDataTooBig: _too_big,
    SuspiciousOperation: _malformed,
    MultiPartParserError: _malformed,
    UnreadablePostError: _malformed,
    BadRequest: _malformed,
    OperationalError: _database_away,
    InterfaceError: _database_away,
    Exception: _unexpected,
}


def install(api: NinjaAPI) -> None:
    for error, turn in TURNS.items():
        api.add_exception_handler(error, partial(_answer, turn=turn))


def _answer(_request: HttpRequest, error: Any, *, turn: Turn) -> HttpResponse:
    return turn(error).response()
