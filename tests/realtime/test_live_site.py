"""The live view over real sockets: daphne, Redis, and a client that reads, sleeps, vanishes or comes from elsewhere."""

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tasks_app.models import ApiToken, AttemptRef
from tests.realtime import story
from tests.realtime.servers import RedisServer, Site
from tests.realtime.sockets import PATIENCE_SECONDS, Frame, browser, do, session_of, wait

pytestmark = pytest.mark.django_db(transaction=True)


# A loaded machine keeps a client waiting for the handshake, and for the answer to its pings.
PATIENT: dict[str, Any] = {"proxy": None, "open_timeout": PATIENCE_SECONDS, "ping_interval": None}


class Viewer:
    """A signed-in browser at the site."""

    def __init__(self, site: Site, user: Any) -> None:
        self._site = site
        self._session = session_of(user)

    def connect(self, path: str, *, origin: str | None = "") -> connect:
        headers = browser(self._session, origin=self._site.origin if origin == "" else origin)
        del headers["host"]
        # The client's own queue must not be what stops a long answer.
        return connect(self._site.address(path), additional_headers=headers, max_queue=None, **PATIENT)


@pytest.fixture
def viewer(site: Site, user: Any) -> Viewer:
    return Viewer(site, user)


@pytest.fixture
def ref(transactional_db: None, user: Any) -> AttemptRef:
    return story.started(user)


def path(ref: AttemptRef, after: int | None = None) -> str:
    return f"/ws/tasks/{ref.task_id}/" + ("" if after is None else f"?after={after}")


async def frames(
    socket: ClientConnection, until: Callable[[Frame], bool], *, seconds: float = PATIENCE_SECONDS
) -> list[Frame]:
    heard: list[Frame] = []
    async with asyncio.timeout(seconds):
        while not heard or not until(heard[-1]):
            heard.append(json.loads(await socket.recv()))
    return heard


def is_task(frame: Frame) -> bool:
    return bool(frame["type"] == "task")


def is_under_way(frame: Frame) -> bool:
    return is_task(frame) and 0 < frame["data"]["progress"]["done"] < frame["data"]["progress"]["total"]


def is_final(frame: Frame) -> bool:
    return bool(frame["type"] == "task" and frame["data"]["status"] == "succeeded")


def percents(heard: list[Frame]) -> list[int]:
    shown = [frame["data"]["progress"]["percent"] for frame in heard if frame["type"] != "step"]
    return [percent for percent in shown if percent is not None]


async def status_of(connecting: connect) -> int:
    """The answer to a handshake; 101 for a socket that opens."""
    try:
        async with connecting:
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_progress_is_live_in_order_and_without_gaps(viewer: Viewer, ref: AttemptRef) -> None:
    async def watch() -> list[Frame]:
        async with viewer.connect(path(ref)) as socket:
            heard = await frames(socket, is_task)
            await do(story.total, ref, 40)
            for index in range(40):
                await do(story.item, ref, index)
                if index == 20:
                    # However fast they come, and are coalesced, it is seen in between.
                    heard += await frames(socket, is_under_way)
            await do(story.succeed, ref, visited=40)
            return heard + await frames(socket, is_final)

    heard = asyncio.run(watch())
    assert [frame["version"] for frame in heard] == sorted(frame["version"] for frame in heard)
    assert sorted(frame["data"]["index"] for frame in heard if frame["type"] == "step") == list(range(40))
    assert percents(heard) == sorted(percents(heard))
    assert percents(heard)[-1] == 100
    assert max(percents(heard)[:-1]) <= 99


def test_a_hint_arrives_long_before_the_next_look(
    redis: RedisServer, tmp_path: Path, ref: AttemptRef, user: Any
) -> None:
    site = Site(tmp_path, redis_url=redis.url, LONGHAUL_WATCH_SECONDS=f"{4 * PATIENCE_SECONDS}")

    async def watch(viewer: Viewer) -> None:
        async with viewer.connect(path(ref)) as socket:
            await frames(socket, is_task)
            await wait(lambda: any("task." in name for name in redis.subscriptions("*")))
            # Until the second look is done, which follows the subscription.
            await asyncio.sleep(0.5)
            for index in range(3):
                version = await do(story.item, ref, index)
                await frames(socket, lambda frame: is_task(frame) and frame["version"] >= version)  # noqa: B023

    site.start()
    try:
        asyncio.run(watch(Viewer(site, user)))
    finally:
        site.stop()


def test_after_a_reconnect_what_was_missed_arrives(viewer: Viewer, ref: AttemptRef) -> None:
    async def watch() -> tuple[list[Frame], list[Frame]]:
        await do(story.items, ref, range(5))
        async with viewer.connect(path(ref)) as socket:
            first = await frames(socket, is_task)
        await do(story.items, ref, range(5, 9))
        async with viewer.connect(path(ref, after=first[-1]["version"])) as socket:
            return first, await frames(socket, is_task)

    first, second = asyncio.run(watch())
    assert [frame["data"]["index"] for frame in first if frame["type"] == "step"] == [0, 1, 2, 3, 4]
    assert [frame["data"]["index"] for frame in second if frame["type"] == "step"] == [5, 6, 7, 8]
    assert second[0]["type"] == "step"


def test_a_reader_that_slept_through_300_steps_has_the_end_soon_afterwards(
    viewer: Viewer, site: Site, ref: AttemptRef
) -> None:
    async def watch() -> list[Frame]:
        async with viewer.connect(path(ref)) as socket:
            heard = await frames(socket, is_task)
            socket.transport.pause_reading()
            await do(story.total, ref, 300)
            for index in range(300):
                await do(story.item, ref, index, text="x" * 10_000)
            await do(story.succeed, ref, visited=300)
            await asyncio.sleep(2)
            socket.transport.resume_reading()
            return heard + await frames(socket, is_final)

    heard = asyncio.run(watch())
    assert {frame["data"]["index"] for frame in heard if frame["type"] == "step"} == set(range(300))
    assert heard[-1]["data"]["progress"] == {"done": 300, "total": 300, "message": "", "percent": 100}
    assert percents(heard) == sorted(percents(heard))
    assert [line for line in site.lines() if "WARNING" in line or "ERROR" in line] == []


def test_only_the_right_origin_and_user_are_let_in(
    viewer: Viewer, site: Site, ref: AttemptRef, stranger: Any, user: Any
) -> None:
    async def knock() -> list[int]:
        token = await do(ApiToken.issue, user.pk)
        bearer = {"Authorization": f"Bearer {token}"}
        theirs = await do(Viewer, site, stranger)
        return [
            await status_of(viewer.connect(path(ref))),
            await status_of(connect(site.address(path(ref)), additional_headers=bearer, **PATIENT)),
            await status_of(viewer.connect(path(ref), origin="https://evil.example")),
            await status_of(viewer.connect(path(ref), origin=None)),
            await status_of(connect(site.address(path(ref)), origin=Origin(site.origin), **PATIENT)),
            await status_of(theirs.connect(path(ref))),
            await status_of(viewer.connect("/ws/nowhere/")),
        ]

    assert asyncio.run(knock()) == [101, 101, 403, 403, 403, 403, 403]
    refusals = [line for line in site.lines() if "refused" in line]
    assert len(refusals) == 5
    assert not any("Traceback" in line for line in site.lines())


def test_redis_may_stop_and_start_under_a_watched_task(
    viewer: Viewer, site: Site, redis: RedisServer, ref: AttemptRef
) -> None:
    async def watch() -> list[Frame]:
        async with viewer.connect(path(ref)) as socket:
            heard = await frames(socket, is_task)
            await do(story.total, ref, 30)
            await do(story.items, ref, range(10))
            redis.stop()
            for index in range(10, 20):
                await do(story.item, ref, index)
                await asyncio.sleep(0.5)
            await asyncio.to_thread(redis.start)
            await do(story.items, ref, range(20, 30))
            await do(story.succeed, ref, visited=30)
            return heard + await frames(socket, is_final)

    heard = asyncio.run(watch())
    assert sorted(frame["data"]["index"] for frame in heard if frame["type"] == "step") == list(range(30))
    # Once, whoever of this process asks it.
    said = Counter(line.split()[3] for line in site.lines() if "Redis" in line or "redis" in line)
    assert set(said.values()) == {1}
    assert not any("Traceback" in line for line in site.lines())


def test_vanished_sockets_leave_their_groups_and_leak_nothing(
    viewer: Viewer, site: Site, redis: RedisServer, ref: AttemptRef
) -> None:
    async def open_and_vanish(number: int) -> None:
        sockets = await asyncio.gather(*[viewer.connect(path(ref)) for _ in range(number)])
        await asyncio.gather(*[frames(socket, is_task) for socket in sockets])
        for socket in sockets:
            socket.transport.abort()
        await wait(lambda: not any("task." in name for name in redis.subscriptions("*")))

    async def watch() -> None:
        await open_and_vanish(20)
        clients, memory, files = redis.clients(), site.memory_bytes(), open_files(site)
        for _ in range(4):
            await open_and_vanish(50)
            await do(story.items, ref, range(20))
        assert redis.clients() - clients <= 1
        assert site.memory_bytes() - memory < 30 * 2**20
        await wait(lambda: open_files(site) <= files + 2)

    asyncio.run(watch())
    assert not any("Traceback" in line for line in site.lines())


def test_the_server_stops_cleanly_under_open_sockets(viewer: Viewer, site: Site, ref: AttemptRef) -> None:
    async def watch() -> None:
        async with viewer.connect(path(ref)) as socket:
            await frames(socket, is_task)
            site.signal(signal.SIGTERM)
            await wait(lambda: site.process is not None and site.process.poll() is not None)

    asyncio.run(watch())
    assert not any("Traceback" in line or "never" in line for line in site.lines())


def open_files(site: Site) -> int:
    assert site.process is not None
    return len(list(Path(f"/proc/{site.process.pid}/fd").iterdir()))
