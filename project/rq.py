"""Connections as django-rq wants them described."""

from typing import Any

from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

# An admin page or a command that asks a Redis which hangs waits this long, once.
TIMEOUT_SECONDS = 2


def connection(address: str) -> dict[str, Any]:
    """An entry of RQ_QUEUES for a redis://, rediss:// or unix:// URL.

    Hazard: django-rq's own URL form passes no client options, and redis-py then retries ten times.
    """
    parts: dict[str, Any] = dict(parse_url(address))  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
    }
    if "path" in parts:
        options["unix_socket_path"] = parts["path"]
    return {
        "HOST": parts.get("host", "localhost"),
        "PORT": parts.get("port", 6379),
        "DB": parts.get("db", 0),
        "USERNAME": parts.get("username"),
        "PASSWORD": parts.get("password"),
        "SSL": address.startswith("rediss://"),
        "REDIS_CLIENT_KWARGS": options,
        "SERIALIZER": "rq.serializers.JSONSerializer",
    }
