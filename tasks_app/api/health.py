"""Probes: /healthz says that the process answers, /readyz that what it stands on is in order. Neither needs a login."""

import logging
from collections.abc import Callable

import redis
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.cache import never_cache
from redis.backoff import NoBackoff
from redis.retry import Retry

from .problems import Problem

REDIS_SECONDS = 0.3
type GetResponse = Callable[[HttpRequest], HttpResponseBase]

logger = logging.getLogger(__name__)


class OutOfOrder(Exception):
    """Something that Longhaul stands on is there, but not as it should be."""


@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """{"status": "ok", "checks": {name: "ok"}}, or a problem (503) whose checks say what is wrong."""
    checks = {name: _outcome(name, check) for name, check in CHECKS.items()}
    wrong = [f"{name}: {outcome}" for name, outcome in checks.items() if outcome != "ok"]
    if wrong:
        return Problem(503, " ".join(wrong), code="not_ready", checks=checks).response()
    return JsonResponse({"status": "ok", "checks": checks})


def _outcome(name: str, check: Callable[[], None]) -> str:
    try:
        check()
    except OutOfOrder as error:
        return str(error)
    except Exception as error:
        # What the error says may hold addresses and passwords: it goes to the log alone.
        logger.warning("not ready, %s: %s", name, error)
        return "It cannot be reached."
    return "ok"


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _migrations() -> None:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise OutOfOrder(f"{len(missing)} are not applied: call manage.py migrate.")


def _redis() -> None:
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=REDIS_SECONDS,
        socket_connect_timeout=REDIS_SECONDS,
        # By default redis-py would try ten times.
        retry=Retry(NoBackoff(), 0),
    )
    with client:
        client.ping()


CHECKS: dict[str, Callable[[], None]] = {"database": _database, "migrations": _migrations, "redis": _redis}
PROBES = {"/healthz": healthz, "/readyz": readyz}


def probes(get_response: GetResponse) -> GetResponse:
    """Middleware, the first of all: a probe comes by the process' own address, which is none of ALLOWED_HOSTS."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return PROBES.get(request.path_info, get_response)(request)

    return middleware
