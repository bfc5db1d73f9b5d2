"""Whose socket it is.

| client | must show | Origin |
|---|---|---|
| browser | its session cookie | this site's own, or one of CSRF_TRUSTED_ORIGINS |
| program | `Authorization: Bearer TOKEN` | none needed: no browser can send that header |
"""

from io import BytesIO
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.base import SessionBase
from django.core.handlers.asgi import ASGIRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.module_loading import import_string

from tasks_app.models import ApiToken

from .refusal import Refused

UNKNOWN_USER = 4401
FOREIGN_ORIGIN = 4403


def user_of(scope: dict[str, Any]) -> int:
    """The id of the user whose socket it is. Raises Refused, with the reason. Queries the database."""
    request = _request(scope)
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _user_of_token(token.strip())
    _check_origin(request)
    return _user_of_session(request)


def _request(scope: dict[str, Any]) -> ASGIRequest:
    """The handshake as Django's own rules for hosts, origins and cookies want to see it."""
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return ASGIRequest({**scope, "type": "http", "method": "GET", "scheme": scheme}, BytesIO())


def _user_of_token(token: str) -> int:
    owner_id: int | None = ApiToken.objects.valid(token).values_list("owner_id", flat=True).first()
    if owner_id is None:
        raise Refused("its token is unknown", code=UNKNOWN_USER)
    return owner_id


def _check_origin(request: ASGIRequest) -> None:
    """The rule that guards the site's forms: a foreign page's script must not use the session it finds."""
    origin = request.headers.get("Origin")
    if origin is None:
        raise Refused("it brings neither a token nor an Origin", code=FOREIGN_ORIGIN)
    if not CsrfViewMiddleware(lambda _: None)._origin_verified(request):  # type: ignore[arg-type,attr-defined]
        host = request.headers.get("Host", "")
        raise Refused(f"its Origin {origin!r} is not that of this site, asked for as {host!r}", code=FOREIGN_ORIGIN)


def _user_of_session(request: ASGIRequest) -> int:
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        raise Refused("it has no session cookie", code=UNKNOWN_USER)
    store: type[SessionBase] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
    request.session = store(key)
    user = get_user(request)
    if user.pk is None:
        raise Refused("its session is over", code=UNKNOWN_USER)
    return int(user.pk)
