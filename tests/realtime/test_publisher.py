"""Hints leave a process cheaply, in order, at a bounded rate, and never harm who sends them."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import count
from math import inf
from typing import Any
from uuid import UUID, uuid4

import msgpack  # type: ignore[import-untyped]
import pytest
from channels.layers import get_channel_layer
from django.conf import settings
from redis import Redis

from tasks_app.realtime import publisher
from tasks_app.realtime.hints import Hint, task_group, user_group
from tasks_app.signals import task_changed
from tests.realtime.servers import RedisServer
from tests.realtime.sockets import PATIENCE_SECONDS
from tests.support.programs import wait_until


def change(task_id: UUID, version: int, *, owner_id: int | None = 7) -> None:
    task_changed.send_robust(sender=None, task_id=task_id, owner_id=owner_id, version=version)


class Ear:
    """What is published to a group, as it crosses the wire."""

    def __init__(self, redis: RedisServer, group: str) -> None:
        self._pubsub: Any = Redis.from_url(redis.url).pubsub()  # type: ignore[no-untyped-call]
        self._pubsub.subscribe(f"longhaul__group__{group}")
        wait_until(self._pubsub.get_message)

    def hear(self, *, seconds: float, count: float = inf, last: int = -1) -> list[int]:
        """The versions heard within that time, up to so many or up to that one."""
        end = time.monotonic() + seconds
        heard: list[int] = []
        while len(heard) < count and last not in heard and (left := end - time.monotonic()) > 0:
            if message := self._pubsub.get_message(timeout=left):
                heard.append(msgpack.unpackb(message["data"])["version"])
        return heard


def test_the_channel_layer_receives_what_the_publisher_sends(redis: RedisServer) -> None:
    task_id = uuid4()

    async def receive_both() -> list[dict[str, Any]]:
        layer: Any = get_channel_layer()
        channel = await layer.new_channel()
        await layer.group_add(task_group(task_id), channel)
        await layer.group_add(user_group(7), channel)
        change(task_id, 3)
        return [await asyncio.wait_for(layer.receive(channel), PATIENCE_SECONDS) for _ in range(2)]

    assert asyncio.run(receive_both()) == [
        {"type": "hint", "group": f"task.{task_id}", "task_id": str(task_id), "version": 3},
        {"type": "hint", "group": "user.7", "task_id": str(task_id), "version": 3},
    ]


def test_a_task_of_nobody_is_told_to_its_own_group_only() -> None:
    task_id = uuid4()
    assert Hint(task_id, None, 1).groups == [task_group(task_id)]


def test_many_changes_become_few_hints_and_the_last_is_always_sent(redis: RedisServer) -> None:
    task_id = uuid4()
    ear = Ear(redis, task_group(task_id))
    began = time.monotonic()
    heard: list[int] = []
    versions = count(1)
    # As long as it changes it is told of, by the rate.
    while len(heard) < 4 and time.monotonic() - began < PATIENCE_SECONDS:
        change(task_id, version := next(versions))
        heard += ear.hear(seconds=0.005)
    if version not in heard:
        heard += ear.hear(seconds=PATIENCE_SECONDS, last=version)
    took = time.monotonic() - began
    assert heard == sorted(heard)
    assert heard[-1] == version
    # One at once, then by the rate, then the last.
    assert 4 <= len(heard) <= took * settings.LONGHAUL_EVENTS_PER_SECOND + 2


def test_the_first_change_after_a_rest_is_told_at_once(redis: RedisServer, settings: Any) -> None:
    settings.LONGHAUL_EVENTS_PER_SECOND = 0.01
    task_id = uuid4()
    ear = Ear(redis, task_group(task_id))
    change(uuid4(), 1)
    publisher.flush(PATIENCE_SECONDS)
    change(task_id, 1)
    # By the rate it would be 100 s.
    assert ear.hear(seconds=PATIENCE_SECONDS, count=1) == [1]


def test_tasks_do_not_hold_each_other_up(redis: RedisServer, settings: Any) -> None:
    settings.LONGHAUL_EVENTS_PER_SECOND = 0.01
    tasks = [uuid4() for _ in range(20)]
    ear = Ear(redis, user_group(7))
    for task_id in tasks:
        change(task_id, 1)
    assert ear.hear(seconds=PATIENCE_SECONDS, count=20) == [1] * 20


def test_an_older_version_that_comes_late_does_not_replace_a_newer(redis: RedisServer) -> None:
    task_id = uuid4()
    ear = Ear(redis, task_group(task_id))
    for version in (1, 3, 2):
        change(task_id, version)
    assert ear.hear(seconds=PATIENCE_SECONDS, last=3)[-1] == 3
    assert ear.hear(seconds=0.4) == []


def test_a_flush_sends_what_the_rate_held_back(redis: RedisServer, settings: Any) -> None:
    settings.LONGHAUL_EVENTS_PER_SECOND = 0.01
    task_id = uuid4()
    ear = Ear(redis, task_group(task_id))
    change(task_id, 1)
    publisher.flush(PATIENCE_SECONDS)
    change(task_id, 2)
    assert publisher.flush(PATIENCE_SECONDS)
    assert ear.hear(seconds=PATIENCE_SECONDS, count=2) == [1, 2]


def test_five_thousand_changes_from_several_threads_need_one_connection(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    before = redis.clients()

    def work() -> None:
        for _ in range(1250):
            change(uuid4(), 1)

    lanes = [threading.Thread(target=work) for _ in range(4)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    assert publisher.flush(PATIENCE_SECONDS)
    assert redis.clients() - before <= 1
    assert caplog.records == []


def test_a_change_costs_its_caller_next_to_nothing_while_redis_hangs(redis: RedisServer) -> None:
    change(uuid4(), 1)
    publisher.flush(PATIENCE_SECONDS)
    redis.signal(signal.SIGSTOP)
    begin = time.monotonic()
    for _ in range(1000):
        change(uuid4(), 1)
    # If each of them waited, it would be minutes.
    assert time.monotonic() - begin < 5


def test_a_lost_redis_is_one_line_in_the_log_and_hints_come_again_with_it(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = uuid4()
    change(task_id, 1)
    publisher.flush(PATIENCE_SECONDS)
    redis.stop()
    for version in range(2, 500):
        change(task_id, version)
        change(uuid4(), version)
    assert publisher.flush(PATIENCE_SECONDS)
    assert len(caplog.records) == 1
    assert "Redis" in caplog.records[0].getMessage()
    redis.start()
    ear = Ear(redis, task_group(task_id))

    def heard() -> list[int]:
        change(task_id, 1000)
        return ear.hear(seconds=0.2)

    assert wait_until(heard)[-1] == 1000
    assert len(caplog.records) == 1


def test_a_redis_that_restarted_between_two_changes_is_not_noticed(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = uuid4()
    change(task_id, 1)
    publisher.flush(PATIENCE_SECONDS)
    redis.stop()
    redis.start()
    ear = Ear(redis, task_group(task_id))
    change(task_id, 2)
    assert ear.hear(seconds=PATIENCE_SECONDS, count=1) == [2]
    assert caplog.records == []


def test_a_process_that_ends_sends_its_last_hint_first(redis: RedisServer) -> None:
    task_id = uuid4()
    ear = Ear(redis, task_group(task_id))
    program = f"""
import uuid, django
django.setup()
from tasks_app.realtime import delivery, publisher
from tasks_app.signals import task_changed
delivery.TIMEOUT_SECONDS = 20
publisher.connect()
for version in range(1, 4):
    task_changed.send_robust(None, task_id=uuid.UUID("{task_id}"), owner_id=1, version=version)
"""
    environment = os.environ | {"REDIS_URL": redis.url, "LONGHAUL_EVENTS_PER_SECOND": "1"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert ear.hear(seconds=PATIENCE_SECONDS, last=3)[-1] == 3


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_fork_has_a_publisher_of_its_own(redis: RedisServer) -> None:
    task_id = uuid4()
    change(uuid4(), 1)
    publisher.flush(PATIENCE_SECONDS)
    ear = Ear(redis, task_group(task_id))
    child = os.fork()
    if child == 0:
        change(task_id, 5)
        os._exit(0 if publisher.flush(PATIENCE_SECONDS) else 1)
    assert os.waitpid(child, 0)[1] == 0
    change(task_id, 6)
    assert ear.hear(seconds=PATIENCE_SECONDS, count=2) == [5, 6]
