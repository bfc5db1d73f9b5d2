"""Errors as application/problem+json (RFC 9457): {type, title, status, detail, code} and what else helps."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from tasks_app.exceptions import LonghaulError

MEDIA_TYPE = "application/problem+json"


class Problem(LonghaulError):
    """A request that is answered with this status. `members`: further members of the answer, as `errors`."""

    def __init__(
        self, status: int, detail: str, *, code: str = "", headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code or HTTPStatus(status).name.lower()
        self.headers = dict(headers or {})
        self.members = members

    def response(self) -> HttpResponse:
        body = {
            # The title says all that the type could.
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": str(self),
            "code": self.code,
            **self.members,
        }
        return JsonResponse(body, status=self.status, content_type=MEDIA_TYPE, headers=self.headers)


class WrongFields(Problem):
    """422. `errors`: sentences by field."""

    def __init__(self, errors: Mapping[str, list[str]], *, code: str = "invalid_input", status: int = 422) -> None:
        listed = " ".join(f"{name}: {' '.join(sentences)}" for name, sentences in errors.items())
        super().__init__(status, listed, code=code, errors=dict(errors))


@csrf_exempt
@never_cache
def no_such_address(_request: HttpRequest) -> HttpResponse:
    """The view of every address below /api/ that is nothing else."""
    return Problem(404, "There is nothing at this address. See /api/docs for those there are.").response()
