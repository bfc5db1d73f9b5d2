"""Everything below /api/."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET
from ninja import NinjaAPI

from . import handlers
from .auth import Session, Token
from .described import DESCRIPTION, with_inputs, with_problem_type
from .problems import Problem, no_such_address
from .queues import router as queues
from .tasks import router as tasks


class Api(NinjaAPI):
    def get_openapi_schema(self, *args: Any, **kwargs: Any) -> Any:
        return with_inputs(with_problem_type(super().get_openapi_schema(*args, **kwargs)))


api = Api(
    title="Longhaul",
    version="1",
    description=DESCRIPTION,
    auth=[Token(), Session()],
    urls_namespace="api",
    docs_decorator=require_GET,
)
handlers.install(api)
api.add_router("/tasks", tasks)
api.add_router("/queues", queues)


def for_programs(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view with its 405 as a problem (ninja's own is HTML), and never kept by a cache.

    CSRF is the business of `Session`: Django's own check would answer HTML.
    """

    @csrf_exempt
    @never_cache
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        answer = view(request, *args, **kwargs)
        if answer.status_code != 405:
            return answer
        allowed = ", ".join(sorted(answer["Allow"].split(", ")))
        text = f"{request.method} is not possible here; expected {allowed}."
        return Problem(405, text, headers={"Allow": allowed}).response()

    return answered


def _patterns() -> list[URLPattern]:
    patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)]
    for pattern in patterns:
        pattern.callback = for_programs(pattern.callback)
    return patterns


app_name = "api"
# The first stands before ninja's own root, which answers HTML.
urlpatterns = [path("", no_such_address), *_patterns(), re_path("", no_such_address)]
