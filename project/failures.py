"""Requests that cannot be taken at all: programs are told in problem+json, people by a page."""

from django.http import HttpRequest, HttpResponse

from tasks_app.api.problems import Problem
from tasks_app.web.failures import bad_request as page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return Problem(400, "This request cannot be taken: its host or its form is not as expected.").response()
    return page(request, exception)
