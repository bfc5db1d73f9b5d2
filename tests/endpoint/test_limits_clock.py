"""Redis' clock may be set back."""

import pytest
from pytest_django import Settings
from redis import Redis

from tasks_app.endpoint.throttle import shared
from tasks_app.endpoint.throttle.shared import Outcome
from tests.endpoint.throttles import Process

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this Redis had been there for long."""
    monkeypatch.setattr(shared, "SETTLED_MS", 0)
    monkeypatch.setattr(shared, "LINGER_MS", 0)


def test_a_clock_that_was_set_back_stops_nobody_for_as_long(settings: Settings, redis: Redis) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 2
    now, hour = int(redis.time()[0]), 3600
    dead, process = Process(), Process()
    ticket = dead.ask()
    key = next(redis.scan_iter("*:held")).decode().removesuffix("held")
    # All that is remembered was written by a clock that was an hour ahead.
    redis.zadd(f"{key}held", {"of-the-dead": (now + hour) * 1000})
    redis.zadd(f"{key}line", {"of-the-dead-too": (now + hour) * 1000})
    redis.zadd(f"{key}until", {"of-the-dead-too": (now + hour) * 1000})
    redis.hset(f"{key}minute", mapping={f"r{now + hour}": 2, f"t{now + hour}": 0})
    redis.hset(f"{key}state", mapping={"quiet": (now + hour) * 1000, "born": (now + hour) * 1000})
    dead.end(ticket, Outcome.UNUSED)
    assert process.ask().answer.wait <= 63, "else all attempts would wait for an hour, or fail at the deadline"
    held, waits = (redis.zrange(f"{key}{name}", 0, -1, withscores=True) for name in ("held", "until"))
    assert max(score for _, score in [*held, *waits]) <= (now + 10) * 1000 + 1000


def test_it_does_not_keep_a_dead_endpoint_from_being_tried(redis: Redis) -> None:
    process = Process()
    for _ in range(2):
        process.call(Outcome.UNREACHED)
    [key] = redis.keys("*:state")
    redis.hset(key, mapping={"next_probe": (int(redis.time()[0]) + 3600) * 1000})
    assert 0 < process.ask(task="another").answer.wait <= 15
