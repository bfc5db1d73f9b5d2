"""Counts of a process on their way to Redis: real Redis, real processes."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks_app.monitoring import counters, store
from tasks_app.monitoring.catalogue import LATENESS, RESTARTS, STEP, SUM, TOKENS, Series
from tasks_app.monitoring.store import Batch, Store
from tests.realtime.servers import ROOT, RedisServer
from tests.support.programs import wait_until

SPOILED: Series = (RESTARTS.name, ("spoiled",), "")
# Counts a thousand, in two threads, and lets a fork count too.
PROGRAM = """
import os, sys, threading, django
django.setup()
from tasks_app.monitoring import counters
from tasks_app.monitoring.catalogue import RESTARTS
def count():
    for _ in range(500):
        counters.count(RESTARTS, "spoiled")
threads = [threading.Thread(target=count) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
fork = os.fork()
if not fork:
    counters.count(RESTARTS, "tasks")
    sys.exit()
os.waitpid(fork, 0)
"""


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    counters.renew()
    yield
    counters.renew()


@pytest.fixture
def no_redis(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    """One that does not run yet, and is asked again at once."""
    server = RedisServer(tmp_path)
    settings.REDIS_URL = server.url
    monkeypatch.setattr(counters, "REST_SECONDS", 0.0)
    yield server
    server.stop()


def test_what_was_counted_arrives_by_itself(redis: RedisServer) -> None:
    for _ in range(3):
        counters.count(RESTARTS, "spoiled")
    counters.count(TOKENS, "a", "prompt", by=120)
    wait_until(lambda: store.read().counts == {SPOILED: 3, (TOKENS.name, ("a", "prompt"), ""): 120}, 20)


def test_processes_threads_and_forks_add_up(redis: RedisServer) -> None:
    environment = os.environ | {"REDIS_URL": redis.url, "DJANGO_SETTINGS_MODULE": "project.settings"}
    command = [sys.executable, "-c", PROGRAM]
    programs = [subprocess.Popen(command, cwd=ROOT, env=environment) for _ in range(3)]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    assert store.read().counts == {SPOILED: 3000, (RESTARTS.name, ("tasks",), ""): 3}


def test_a_histogram_has_upper_bounds_that_belong_to_their_buckets(redis: RedisServer) -> None:
    for seconds in (0.01, 0.011, 180, 181, -5):
        counters.observe(STEP, "a", "succeeded", seconds=seconds)
    assert counters.flush(10)
    parts = {part: count for (_, _, part), count in store.read().counts.items()}
    assert parts.pop(SUM) == pytest.approx(361.021)
    assert parts == {"0.01": 2, "0.05": 1, "180": 1, "+Inf": 1}


def test_without_redis_counts_are_kept_one_number_a_series_and_sent_when_it_is_back(no_redis: RedisServer) -> None:
    for _ in range(5000):
        counters.count(RESTARTS, "spoiled")
    assert not counters.flush(10)
    counters.observe(LATENESS, seconds=2)
    counters.count(RESTARTS, "spoiled")
    no_redis.start()
    wait_until(lambda: store.read().counts.get(SPOILED) == 5001, 20)
    wait_until(lambda: store.read().counts.get((LATENESS.name, (), SUM)) == 2, 20)


def test_a_redis_that_hangs_holds_nobody_who_counts(redis: RedisServer) -> None:
    redis.signal(19)
    flushing = threading.Thread(target=counters.flush)
    counters.count(RESTARTS, "spoiled")
    flushing.start()
    longest = 0.0
    while flushing.is_alive():
        began = time.perf_counter()
        counters.count(RESTARTS, "spoiled")
        longest = max(longest, time.perf_counter() - began)
        time.sleep(0.001)
    # Redis is waited for half a second, twice.
    assert longest < 0.4
    redis.signal(18)


def test_a_batch_whose_reply_was_lost_and_that_is_sent_again_counts_once(redis: RedisServer) -> None:
    here, there = Store(), Store()
    for _ in range(2):
        here.add(Batch(1, {SPOILED: 2}), sockets=None)
    there.add(Batch(1, {SPOILED: 5}), sockets=None)
    here.add(Batch(2, {SPOILED: 10}), sockets=None)
    assert store.read().counts == {SPOILED: 17}


def test_a_redis_that_was_emptied_begins_anew(redis: RedisServer) -> None:
    counters.count(RESTARTS, "spoiled")
    assert counters.flush(10)
    with redis.client() as client:
        client.flushall()
    assert store.read().counts == {}
    counters.count(RESTARTS, "spoiled")
    assert counters.flush(10)
    assert store.read().counts == {SPOILED: 1}


def test_a_key_that_is_something_else_raises_nothing(redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    with redis.client() as client:
        client.set(store.COUNTS_KEY, "what")
    counters.count(RESTARTS, "spoiled")
    assert not counters.flush(10)
    assert "Counts are kept" in caplog.text


def test_the_memory_of_a_process_has_a_bound(no_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "MOST_SERIES", 3)
    monkeypatch.setattr(counters, "FLUSH_SECONDS", 3600.0)
    for number in range(10):
        counters.count(RESTARTS, str(number))
        counters.count(RESTARTS, "0")
    kept = {labels: by for _, (labels,), _, by in counters.hand_over()}
    assert kept == {"0": 11, "1": 1, "2": 1}


def test_what_one_process_hands_over_another_one_sends(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "FLUSH_SECONDS", 3600.0)
    counters.count(RESTARTS, "spoiled")
    counters.observe(STEP, "a", "failed", seconds=0.5)
    told = json.loads(json.dumps(counters.hand_over()))
    assert counters.flush(10)
    assert store.read().counts == {}
    counters.take_over(told)
    assert counters.flush(10)
    assert store.read().counts[SPOILED] == 1
    assert store.read().counts[STEP.name, ("a", "failed"), "0.5"] == 1


def test_sockets_are_those_of_all_processes_that_are_there(redis: RedisServer) -> None:
    counters.count_sockets(1)
    counters.count_sockets(1)
    counters.count_sockets(-1)
    assert counters.flush(10)
    Store().add(Batch(0, {}), sockets=4)
    with redis.client() as client:
        client.hset(store.LIVE_KEY, "killed long ago", f"{int(time.time()) - 60} 100")
        assert store.read().sockets == 5
        assert not client.hexists(store.LIVE_KEY, "killed long ago")


def test_open_sockets_are_told_of_again_and_again(redis: RedisServer) -> None:
    counters.count_sockets(1)
    wait_until(lambda: store.read().sockets == 1, 20)
    with redis.client() as client:
        client.flushall()
    wait_until(lambda: store.read().sockets == 1, 20)
