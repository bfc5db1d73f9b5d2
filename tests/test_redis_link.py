"""Whoever asks Redis does not wait for it."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tasks_app.processes.doorbell import ring, ringing
from tasks_app.redis_link import REST_SECONDS, RedisLink


@pytest.fixture
def hanging_redis(settings: Any) -> Iterator[None]:
    """Takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        ringing.cache_clear()
        yield
    ringing.cache_clear()


@pytest.fixture
def refusing_redis(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def test_a_ring_does_not_wait_for_a_redis_that_hangs(hanging_redis: None) -> None:
    began = time.monotonic()
    for _ in range(100):
        ring("gpu")
    # Each by itself would wait for a quarter of a second.
    assert time.monotonic() - began < 15


def test_after_a_failure_it_rests_and_then_asks_again(refusing_redis: None) -> None:
    now = 100.0
    link = RedisLink(timeout=0.2, clock=lambda: now)
    asked: list[float] = []

    def question(redis: Any) -> bool:
        asked.append(now)
        return bool(redis.ping())

    assert link.ask(question, otherwise=False) is False
    now += REST_SECONDS - 0.1
    assert link.ask(question, otherwise=False) is False
    now += 0.2
    assert link.ask(question, otherwise=False) is False
    assert len(asked) == 2
    assert asked[1] > 100 + REST_SECONDS


def test_going_and_coming_back_are_one_line_each(refusing_redis: None, caplog: pytest.LogCaptureFixture) -> None:
    now = 100.0
    caplog.set_level("INFO")
    link = RedisLink(timeout=0.2, clock=lambda: now)
    for _ in range(5):
        now += REST_SECONDS + 1
        link.ask(lambda redis: redis.ping(), otherwise=False)
    now += REST_SECONDS + 1
    assert link.ask(lambda _: True, otherwise=False)
    assert caplog.text.count("Redis is away") == 1
    assert caplog.text.count("Redis is back") == 1


def test_another_thread_may_find_redis_back_while_one_looks_whether_it_rests(refusing_redis: None) -> None:
    def clock() -> float:
        # Between the two looks of the asking thread.
        link._rests_until = None
        return 100.0

    link = RedisLink(timeout=0.2, clock=clock)
    link._rests_until = 102.0
    assert link.ask(lambda redis: bool(redis.ping()), otherwise=False) is False
