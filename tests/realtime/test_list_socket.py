"""The list's socket: its user's newest tasks, then each that changes, and nobody else's."""

import asyncio
import json
from typing import Any

import pytest

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Task
from tasks_app.realtime import publisher
from tests.realtime.servers import RedisServer
from tests.realtime.sockets import PATIENCE_SECONDS, Frame, InnerSocket, browser, do, opened, session_of
from tests.support.rows import make_task

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/ws/tasks/"


@pytest.fixture
def owner(redis: RedisServer, transactional_db: None, user: Any, settings: Any) -> Any:
    # By itself a socket looks only when a test would have given up.
    settings.LONGHAUL_WATCH_SECONDS = 4 * PATIENCE_SECONDS
    return user


@pytest.fixture
def headers(owner: Any) -> dict[str, str]:
    return browser(session_of(owner))


def of_task(task: Task, status: str) -> Any:
    return lambda frame: (frame["data"].get("id"), frame["data"].get("status")) == (str(task.pk), status)


async def snapshot(socket: InnerSocket) -> Frame:
    [frame] = await socket.frames(lambda frame: True)
    assert frame["type"] == "snapshot"
    return frame


def test_it_begins_with_the_newest_fifty_tasks_newest_first(owner: Any, headers: dict[str, str]) -> None:
    tasks = [str(make_task(owner).pk) for _ in range(55)]

    async def watch() -> Frame:
        async with opened(LIST, headers) as socket:
            return await snapshot(socket)

    items = asyncio.run(watch())["data"]["items"]
    assert [one["id"] for one in items] == tasks[:4:-1]


def test_tasks_too_long_for_one_frame_follow_in_their_own(owner: Any, headers: dict[str, str]) -> None:
    tasks = {str(make_task(owner, payload={"args": [], "kwargs": {"instruction": "x" * 20_000}}).pk) for _ in range(10)}

    async def watch() -> list[Frame]:
        async with opened(LIST, headers) as socket:
            first = await snapshot(socket)
            left = len(tasks) - len(first["data"]["items"])
            return [first, *[(await socket.frames(lambda frame: True))[0] for _ in range(left)]]

    first, *rest = asyncio.run(watch())
    assert 1 < len(first["data"]["items"]) < 10
    assert {one["id"] for one in first["data"]["items"]} | {frame["data"]["id"] for frame in rest} == tasks
    assert max(len(json.dumps(frame)) for frame in [first, *rest]) < 64 * 1024


def test_new_and_changed_tasks_arrive(owner: Any, headers: dict[str, str]) -> None:
    async def watch() -> None:
        async with opened(LIST, headers) as socket:
            assert (await snapshot(socket))["data"]["items"] == []
            task = await do(make_task, owner)
            await socket.frames(of_task(task, "pending"))
            await do(cancel, task.pk)
            await socket.frames(of_task(task, "cancelled"))

    asyncio.run(watch())


def test_a_change_of_a_task_that_is_not_among_the_newest_arrives(owner: Any, headers: dict[str, str]) -> None:
    old = make_task(owner)
    for _ in range(50):
        make_task(owner)

    async def watch() -> None:
        async with opened(LIST, headers) as socket:
            await snapshot(socket)
            await do(cancel, old.pk)
            await socket.frames(of_task(old, "cancelled"))

    asyncio.run(watch())


def test_a_change_that_nobody_told_is_found_even_while_other_tasks_are_busy(
    owner: Any, headers: dict[str, str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LONGHAUL_WATCH_SECONDS = 0.5
    quiet_one, busy_one = make_task(owner), make_task(owner)
    told = publisher.Publisher.publish
    only_busy = lambda self, hint: told(self, hint) if hint.task_id == busy_one.pk else None  # noqa: E731
    monkeypatch.setattr(publisher.Publisher, "publish", only_busy)

    async def make_noise() -> None:
        while True:
            await do(publisher._on_task_changed, task_id=busy_one.pk, owner_id=owner.pk, version=1)
            await asyncio.sleep(0.05)

    async def watch() -> None:
        async with opened(LIST, headers) as socket:
            await snapshot(socket)
            noise = asyncio.create_task(make_noise())
            await do(cancel, quiet_one.pk)
            await socket.frames(of_task(quiet_one, "cancelled"))
            noise.cancel()

    asyncio.run(watch())


def test_another_users_tasks_are_neither_shown_nor_told(owner: Any, stranger: Any, headers: dict[str, str]) -> None:
    make_task(stranger)

    async def watch() -> None:
        async with opened(LIST, headers) as socket:
            assert (await snapshot(socket))["data"]["items"] == []
            theirs = await do(make_task, stranger)
            await do(cancel, theirs.pk)
            assert await socket.is_quiet(seconds=1)

    asyncio.run(watch())


def test_a_forged_hint_shows_no_task_of_another(owner: Any, stranger: Any, headers: dict[str, str]) -> None:
    theirs = make_task(stranger)

    async def watch() -> None:
        async with opened(LIST, headers) as socket:
            await snapshot(socket)
            await do(publisher._on_task_changed, task_id=theirs.pk, owner_id=owner.pk, version=9)
            assert await socket.is_quiet(seconds=1)

    asyncio.run(watch())
