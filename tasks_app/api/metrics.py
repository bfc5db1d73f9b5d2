"""GET /metrics, for operators and for Prometheus with an operator's token."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from ninja.errors import AuthenticationError

from tasks_app.monitoring.metrics import exposition

from .auth import Session, Token
from .handlers import TURNS
from .problems import Problem


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Errors are the API's: 401 without login, 403 for who is not staff, 405, 503 with the database away."""
    try:
        if request.method not in ("GET", "HEAD"):
            return Problem(405, "Only GET is possible here.", headers={"Allow": "GET, HEAD"}).response()
        _only_for_staff(request)
        text, content_type = exposition(request.headers.get("Accept", ""))
    except Exception as error:
        turn = next(TURNS[kind] for kind in type(error).__mro__ if kind in TURNS)
        return turn(error).response()
    return HttpResponse(text, content_type=content_type)


def _only_for_staff(request: HttpRequest) -> None:
    user: User | None = Token()(request) or Session()(request)
    if user is None:
        raise AuthenticationError
    if not user.is_staff:
        raise Problem(403, "Metrics are for operators: expected a user with access to the admin.")
