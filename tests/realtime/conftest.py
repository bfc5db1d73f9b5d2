from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tasks_app.realtime import delivery, publisher, quiet
from tests.realtime.servers import RedisServer, Site


@pytest.fixture
def redis(tmp_path: Path, settings: Any) -> Iterator[RedisServer]:
    """A running server, which the channel layer and the publisher of this process use."""
    server = RedisServer(tmp_path)
    server.start()
    use_layer(settings, server.url)
    yield server
    server.stop()
    # What its loss makes the publisher say belongs to this test.
    publisher.flush(30)


@pytest.fixture
def no_redis(tmp_path: Path, settings: Any) -> RedisServer:
    """A server that does not run, at the address that the layer and the publisher use."""
    server = RedisServer(tmp_path)
    use_layer(settings, server.url)
    return server


@pytest.fixture
def site(redis: RedisServer, tmp_path: Path, transactional_db: None) -> Iterator[Site]:
    server = Site(tmp_path, redis_url=redis.url)
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _patient_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Redis that only waits for its turn, on a loaded machine, is not taken for gone: hints would be dropped."""
    monkeypatch.setattr(delivery, "TIMEOUT_SECONDS", 20)


@pytest.fixture(autouse=True)
def _fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test inherits the minute of silence of another."""
    for logger in (quiet.redis, quiet.database):
        for limit in logger.filters:
            monkeypatch.setattr(limit, "_last", -inf)


def use_layer(settings: Any, url: str) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [url], "prefix": "longhaul"},
        }
    }
    publisher.renew()
    publisher.connect()
