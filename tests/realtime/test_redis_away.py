"""Sockets do not depend on Redis: they open without it, look by themselves, and are told again when it is back."""

import asyncio
import signal
from typing import Any

import pytest

from tasks_app.models import AttemptRef
from tasks_app.realtime import delivery
from tasks_app.realtime.consumers import hub as hubs
from tasks_app.realtime.consumers.hub import hub
from tests.realtime import story
from tests.realtime.servers import RedisServer
from tests.realtime.sockets import PATIENCE_SECONDS, InnerSocket, browser, do, opened, session_of, wait

pytestmark = pytest.mark.django_db(transaction=True)


# How long the publisher leaves Redis alone after it failed.
PAUSE_SECONDS = 0.5


@pytest.fixture(autouse=True)
def _short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "PAUSE_SECONDS", PAUSE_SECONDS)


@pytest.fixture(autouse=True)
def _rare_looks(settings: Any) -> None:
    settings.LONGHAUL_WATCH_SECONDS = 4 * PATIENCE_SECONDS


@pytest.fixture
def ref(transactional_db: None, user: Any) -> AttemptRef:
    return story.started(user)


@pytest.fixture
def headers(transactional_db: None, user: Any) -> dict[str, str]:
    return browser(session_of(user))


def path(ref: AttemptRef) -> str:
    return f"/ws/tasks/{ref.task_id}/"


async def sees_change(socket: InnerSocket, ref: AttemptRef, *, index: int) -> None:
    """Sooner than a socket looks by itself in these tests, as long as hints arrive."""
    version = await do(story.item, ref, index)
    await socket.frames(lambda frame: frame["type"] == "task" and frame["version"] >= version)


def test_without_redis_a_socket_opens_at_once_and_looks_by_itself(
    no_redis: RedisServer, ref: AttemptRef, headers: dict[str, str]
) -> None:
    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await socket.frames(lambda frame: frame["type"] == "task")
            await wait(lambda: not hub().live)
            await sees_change(socket, ref, index=0)

    asyncio.run(watch())


def test_a_socket_that_opened_without_redis_is_told_when_it_comes(
    no_redis: RedisServer, ref: AttemptRef, headers: dict[str, str]
) -> None:
    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await wait(lambda: not hub().live)
            await asyncio.to_thread(no_redis.start)
            await wait(lambda: hub().live)
            await wait(lambda: any("task." in name for name in no_redis.subscriptions("*")))
            await asyncio.sleep(PAUSE_SECONDS)
            for index in range(3):
                await sees_change(socket, ref, index=index)

    try:
        asyncio.run(watch())
    finally:
        no_redis.stop()


def test_redis_may_stop_and_start_while_a_socket_is_open(
    redis: RedisServer, ref: AttemptRef, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await sees_change(socket, ref, index=0)
            redis.stop()
            await wait(lambda: not hub().live)
            await sees_change(socket, ref, index=1)
            await asyncio.to_thread(redis.start)
            await wait(lambda: hub().live)
            await asyncio.sleep(PAUSE_SECONDS)
            await sees_change(socket, ref, index=2)

    asyncio.run(watch())
    assert len([record for record in caplog.records if record.name != "asyncio"]) <= 1


def test_what_changed_just_before_the_loss_is_not_late(
    redis: RedisServer, ref: AttemptRef, headers: dict[str, str]
) -> None:
    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await sees_change(socket, ref, index=0)
            redis.stop()
            await sees_change(socket, ref, index=1)

    asyncio.run(watch())


def test_a_redis_that_hangs_is_taken_for_gone_and_connected_anew(
    redis: RedisServer, ref: AttemptRef, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "ANEW_SECONDS", 4)

    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await sees_change(socket, ref, index=0)
            redis.signal(signal.SIGSTOP)
            await wait(lambda: not hub().live)
            await sees_change(socket, ref, index=1)
            await asyncio.sleep(4)
            redis.signal(signal.SIGCONT)
            await wait(lambda: hub().live)
            await asyncio.sleep(PAUSE_SECONDS)
            await sees_change(socket, ref, index=2)

    asyncio.run(watch())


def test_a_subscription_that_died_without_a_word_is_replaced(
    redis: RedisServer, ref: AttemptRef, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "ANEW_SECONDS", 4)

    def unsubscribe_all() -> None:
        with redis.client() as client:
            client.client_kill_filter(_type="pubsub")

    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await sees_change(socket, ref, index=0)
            await do(unsubscribe_all)
            await wait(lambda: any("task." in name for name in redis.subscriptions("*")))
            await wait(lambda: hub().live)
            await sees_change(socket, ref, index=1)

    asyncio.run(watch())


def test_sockets_that_close_leave_their_groups_even_while_redis_is_away(
    redis: RedisServer, ref: AttemptRef, headers: dict[str, str]
) -> None:
    async def watch() -> None:
        async with opened("/ws/tasks/", headers):
            async with opened(path(ref), headers), opened(path(ref), headers):
                await wait(lambda: any("task." in name for name in redis.subscriptions("*")))
                assert len(hub().groups()) == 2
                redis.stop()
                await wait(lambda: not hub().live)
            assert hub().groups() == {f"user.{await do(lambda: story.row(ref).owner_id)}"}
            await asyncio.to_thread(redis.start)
            await wait(lambda: hub().live)
            await wait(lambda: any("user." in name for name in redis.subscriptions("*")))
            await wait(lambda: not any("task." in name for name in redis.subscriptions("*")))

    asyncio.run(watch())
