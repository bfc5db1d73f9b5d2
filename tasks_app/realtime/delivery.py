"""Sends hints to Redis in the pub/sub layer's own wire format, over one kept connection.

The layer's own `group_send` needs an event loop for each caller, and leaks connections when it is made for each send.
"""

import time
from collections.abc import Collection
from typing import Any

import msgpack  # type: ignore[import-untyped]
from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from . import quiet
from .hints import Hint

# A call to Redis, at most.
TIMEOUT_SECONDS = 0.5
# After a failure Redis is left alone this long; hints meanwhile are dropped, and sockets look by themselves.
PAUSE_SECONDS = 3.0


class Delivery:
    """One connection and its circuit. For one thread; `deliver` never raises for Redis' sake."""

    def __init__(self) -> None:
        self._redis: Redis | None = None
        self._paused_until = 0.0

    def deliver(self, hints: Collection[Hint]) -> None:
        if not hints or time.monotonic() < self._paused_until:
            return
        try:
            self._send(hints)
        except (RedisError, OSError) as error:
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            quiet.redis.warning("Hints of progress are not sent, sockets look by themselves: Redis says %s", error)

    def _send(self, hints: Collection[Hint]) -> None:
        if self._redis is None:
            self._redis = _connection()
        prefix = _layer_config()["prefix"]
        with self._redis.pipeline(transaction=False) as pipeline:
            for hint in hints:
                for group in hint.groups:
                    pipeline.publish(group_channel(prefix, group), encode(hint.message(group)))
            pipeline.execute()


def group_channel(prefix: str, group: str) -> str:
    return f"{prefix}__group__{group}"


def encode(message: dict[str, Any]) -> bytes:
    packed: bytes = msgpack.packb(message)
    return packed


def _layer_config() -> dict[str, Any]:
    layer: dict[str, Any] = settings.CHANNEL_LAYERS["default"]
    config: dict[str, Any] = layer["CONFIG"]
    return config


def _connection() -> Redis:
    return Redis.from_url(
        _layer_config()["hosts"][0],
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        # One more try at once: a connection that was kept may have died unnoticed.
        retry=Retry(NoBackoff(), 1),
        client_name="longhaul-hints",
    )
