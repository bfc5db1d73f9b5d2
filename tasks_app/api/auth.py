"""Who asks: a program with a token, or a person with a session."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from tasks_app.models import ApiToken

from .problems import Problem


class Token(HttpBearer):
    """`Authorization: Bearer TOKEN`. A wrong token is refused even where a session would do."""

    openapi_description = "A token that `manage.py apitoken USER` printed."

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002
        found = ApiToken.objects.valid(token).select_related("owner").first()
        if found is None:
            raise AuthenticationError
        return found.owner


class Session(APIKeyCookie):
    """The page's session; unsafe methods also need its CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME
    openapi_description = "The session of the page. POST also needs the header X-CSRFToken."

    def __call__(self, request: HttpRequest) -> Any:
        return self.authenticate(request, None)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:  # noqa: ARG002
        # Who is not signed in is told so (401) before any talk of CSRF (403).
        if not request.user.is_authenticated:
            return None
        if check_csrf(request) is not None:
            raise Problem(403, "The CSRF token is missing or wrong: send it in the header X-CSRFToken.", code="csrf")
        return request.user
