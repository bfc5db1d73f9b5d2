"""A task's socket: a snapshot, then what changed in the order of versions; after a reconnect what was missed."""

import asyncio
import json
from typing import Any

import pytest

from tasks_app.lifecycle.retry import retry
from tasks_app.models import AttemptRef, Task
from tasks_app.realtime import publisher
from tests.realtime import story
from tests.realtime.servers import RedisServer
from tests.realtime.sockets import PATIENCE_SECONDS, Frame, browser, do, opened, session_of
from tests.support.rows import make_task, make_worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner(redis: RedisServer, transactional_db: None, user: Any) -> Any:
    return user


@pytest.fixture
def headers(owner: Any) -> dict[str, str]:
    return browser(session_of(owner))


@pytest.fixture
def ref(owner: Any) -> AttemptRef:
    return story.started(owner)


def path(ref: AttemptRef, *, after: int | None = None) -> str:
    return f"/ws/tasks/{ref.task_id}/" + ("" if after is None else f"?after={after}")


def task_at(version: int) -> Any:
    return lambda frame: frame["type"] == "task" and frame["version"] >= version


def is_final(frame: Frame) -> bool:
    return bool(frame["type"] == "task" and frame["data"]["status"] in ("succeeded", "failed", "cancelled"))


def indexes(frames: list[Frame]) -> list[int]:
    return [frame["data"]["index"] for frame in frames if frame["type"] == "step"]


async def listen(path: str, headers: dict[str, str], until: Any) -> list[Frame]:
    async with opened(path, headers) as socket:
        return await socket.frames(until)


def test_it_begins_with_a_snapshot_and_all_steps(ref: AttemptRef, headers: dict[str, str]) -> None:
    story.total(ref, 3)
    story.items(ref, range(3))
    version = story.row(ref).version
    frames = asyncio.run(listen(path(ref), headers, task_at(version)))
    assert [frame["type"] for frame in frames] == ["snapshot", "step", "step", "step", "task"]
    assert frames[0]["data"] == frames[-1]["data"]
    assert frames[-1]["data"]["progress"]["done"] == 3
    assert [frame["version"] for frame in frames] == sorted(frame["version"] for frame in frames)


def test_the_last_version_received_is_the_place_to_go_on_from_wherever_it_was_cut(
    ref: AttemptRef, headers: dict[str, str]
) -> None:
    story.items(ref, range(5))
    version = story.row(ref).version
    whole = asyncio.run(listen(path(ref), headers, task_at(version)))
    for cut in range(1, len(whole)):
        first = whole[:cut]
        rest = asyncio.run(listen(path(ref, after=first[-1]["version"]), headers, task_at(version)))
        assert indexes(first) + indexes(rest) == list(range(5))
        assert rest[0]["type"] != "snapshot"


def test_changes_arrive_as_they_happen_in_order_and_without_gaps(ref: AttemptRef, headers: dict[str, str]) -> None:
    async def watch() -> list[Frame]:
        async with opened(path(ref), headers) as socket:
            heard = await socket.frames(task_at(1))
            await do(story.total, ref, 30)
            for index in range(30):
                await do(story.item, ref, index)
            await do(story.succeed, ref, visited=30)
            return heard + await socket.frames(is_final)

    frames = asyncio.run(watch())
    versions = [frame["version"] for frame in frames]
    assert versions == sorted(versions)
    assert sorted(indexes(frames)) == list(range(30))
    done = [frame["data"]["progress"]["done"] for frame in frames if frame["type"] == "task"]
    assert done == sorted(done)
    assert frames[-1]["data"]["status"] == "succeeded"
    assert frames[-1]["version"] == story.row(ref).version


def test_a_burst_becomes_few_looks(ref: AttemptRef, headers: dict[str, str]) -> None:
    async def watch() -> list[Frame]:
        async with opened(path(ref), headers) as socket:
            await socket.frames(task_at(1))
            begin = asyncio.get_running_loop().time()
            await do(story.items, ref, range(200))
            await do(story.succeed, ref, visited=200)
            frames = await socket.frames(is_final)
            looks = sum(frame["type"] == "task" for frame in frames)
            assert looks <= 2 + 10 * (asyncio.get_running_loop().time() - begin)
            return frames

    assert sorted(indexes(asyncio.run(watch()))) == list(range(200))


def test_two_hundred_long_steps_come_in_frames_below_64_kb(ref: AttemptRef, headers: dict[str, str]) -> None:
    for index in range(200):
        story.item(ref, index, text="\N{PILE OF POO}" * 15_000)
    frames = asyncio.run(listen(path(ref), headers, task_at(story.row(ref).version)))
    assert len(indexes(frames)) == 200
    assert max(len(json.dumps(frame).encode()) for frame in frames) < 64 * 1024


def test_who_has_seen_everything_is_told_how_the_task_stands_and_no_step_again(
    ref: AttemptRef, headers: dict[str, str]
) -> None:
    story.items(ref, range(3))
    version = story.row(ref).version

    async def watch() -> list[Frame]:
        async with opened(path(ref, after=version), headers) as socket:
            heard = await socket.frames(task_at(version))
            assert await socket.is_quiet()
            await do(story.item, ref, 3)
            return heard + await socket.frames(task_at(version + 1))

    assert [frame["type"] for frame in asyncio.run(watch())] == ["task", "step", "task"]


def test_a_step_that_was_done_again_comes_again(ref: AttemptRef, headers: dict[str, str]) -> None:
    story.items(ref, range(3))
    version = story.row(ref).version
    story.item(ref, 1, text="better")
    frames = asyncio.run(listen(path(ref, after=version), headers, task_at(version + 1)))
    assert [frame["data"]["text"] for frame in frames if frame["type"] == "step"] == ["better"]


@pytest.mark.parametrize("after", ["999999", "-1", "x", "", "1" * 40])
def test_an_after_that_no_one_was_told_gets_a_snapshot(ref: AttemptRef, headers: dict[str, str], after: str) -> None:
    story.items(ref, range(2))
    address = f"/ws/tasks/{ref.task_id}/?after={after}"
    frames = asyncio.run(listen(address, headers, task_at(story.row(ref).version)))
    assert frames[0]["type"] == "snapshot"
    assert indexes(frames) == [0, 1]


def test_a_start_from_scratch_is_a_new_snapshot_without_the_old_steps(ref: AttemptRef, headers: dict[str, str]) -> None:
    story.items(ref, range(3))
    story.succeed(ref, visited=3)
    Task.objects.filter(pk=ref.task_id).update(failed_items=1)
    before = story.row(ref).version

    async def watch() -> list[Frame]:
        async with opened(path(ref, after=before), headers) as socket:
            await socket.frames(task_at(before))
            await do(retry, ref.task_id, from_scratch=True)
            return await socket.frames(lambda frame: True)

    seen = asyncio.run(watch())
    missed = asyncio.run(listen(path(ref, after=before), headers, task_at(before + 1)))
    for frames in (seen, missed):
        assert frames[0]["type"] == "snapshot"
        assert frames[0]["data"]["status"] in ("pending", "queued")
        assert indexes(frames) == []


def test_a_retry_is_seen_by_a_socket_that_saw_the_end(ref: AttemptRef, headers: dict[str, str]) -> None:
    async def watch() -> Frame:
        async with opened(path(ref), headers) as socket:
            await do(story.succeed, ref, visited=0)
            await socket.frames(is_final)
            await do(Task.objects.filter(pk=ref.task_id).update, failed_items=1)
            await do(retry, ref.task_id)
            return (await socket.frames(lambda frame: not is_final(frame)))[-1]

    assert asyncio.run(watch())["data"]["status"] in ("pending", "queued")


def test_a_change_that_nobody_told_is_found_by_the_periodic_look(
    ref: AttemptRef, headers: dict[str, str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LONGHAUL_WATCH_SECONDS = 0.5
    monkeypatch.setattr(publisher.Publisher, "publish", lambda *_: None)

    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await socket.frames(task_at(1))
            await do(story.succeed, ref, visited=0)
            await socket.frames(is_final)

    asyncio.run(watch())


def test_what_a_client_says_is_ignored(ref: AttemptRef, headers: dict[str, str]) -> None:
    async def watch() -> None:
        async with opened(path(ref), headers) as socket:
            await socket.frames(task_at(1))
            for text in ('{"type": "ping"}', "{", "null", "\x00", "x" * 100_000):
                await socket.communicator.send_to(text_data=text)
            await socket.communicator.send_to(bytes_data=b"\xff\xfe")
            await do(story.succeed, ref, visited=0)
            await socket.frames(is_final)

    asyncio.run(watch())


def test_the_socket_of_a_task_that_is_deleted_is_closed(
    ref: AttemptRef, headers: dict[str, str], settings: Any
) -> None:
    settings.LONGHAUL_WATCH_SECONDS = 0.2

    async def watch() -> dict[str, Any]:
        async with opened(path(ref), headers) as socket:
            await socket.frames(task_at(1))
            await do(Task.objects.filter(pk=ref.task_id).delete)
            closing: dict[str, Any] = await socket.communicator.receive_output(timeout=PATIENCE_SECONDS)
            return closing

    assert asyncio.run(watch()) == {"type": "websocket.close", "code": 4404}


def test_a_place_in_the_queue_moves_without_a_change_of_the_row(
    owner: Any, headers: dict[str, str], settings: Any
) -> None:
    settings.LONGHAUL_WATCH_SECONDS = 0.2
    task = make_task(owner)

    async def watch() -> list[Any]:
        async with opened(f"/ws/tasks/{task.pk}/", headers) as socket:
            first = await socket.frames(task_at(1))
            await do(make_worker)
            second = await socket.frames(task_at(1))
            return [frames[-1]["data"]["waiting"]["reason"] for frames in (first, second)]

    assert asyncio.run(watch()) == ["no_worker", "queue"]
