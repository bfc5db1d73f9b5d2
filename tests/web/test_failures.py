"""Pages of failures have the site's face, and never the inside of the program."""

from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path

from project import urls
from tasks_app.web.failures import bad_request

SECRET = "the inside of the program"


def fail(request: HttpRequest) -> HttpResponse:
    raise {"/403": PermissionDenied, "/500": RuntimeError}[request.path](SECRET)


urlpatterns = [path("403", fail), path("500", fail)]


class AlsoFailing:
    """The site with two addresses more."""

    def __init__(self) -> None:
        self.urlpatterns = [*urlpatterns, *urls.urlpatterns]


@pytest.mark.parametrize(
    ("address", "status", "heading"),
    [
        ("/403", 403, "Not allowed"),
        ("/404", 404, "There is nothing here"),
        ("/500", 500, "Something went wrong here"),
    ],
)
def test_a_failure_has_a_page_in_the_sites_face(
    db: None, settings: Any, address: str, status: int, heading: str
) -> None:
    settings.ROOT_URLCONF = AlsoFailing()
    answer = Client(raise_request_exception=False).get(address)
    assert answer.status_code == status
    assert f"<h1>{heading}</h1>" in answer.text
    assert "To your tasks" in answer.text
    assert SECRET not in answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("error", "status", "heading"),
    [
        (BadRequest, 400, "That could not be read"),
        (RequestDataTooBig, 413, "That was too much at once"),
        (TooManyFieldsSent, 413, "That was too much at once"),
    ],
)
def test_a_bad_request_says_whether_it_was_too_much(
    rf: RequestFactory, error: type[Exception], status: int, heading: str
) -> None:
    answer = bad_request(rf.get("/"), error(SECRET))
    assert answer.status_code == status
    assert heading in answer.content.decode()
    assert SECRET not in answer.content.decode()
