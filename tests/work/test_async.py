"""`async def` kinds, and steps and items that are `async def`, against the real context and database."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection

from tasks_app.exceptions import (
    CancelRequested,
    NotOwner,
    PermanentError,
    RetryableError,
    StepFailed,
    StepInsideStep,
)
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import StepResult, Task
from tasks_app.work.context import Context
from tasks_app.work.coroutines import ungrouped

from .conftest import Lab

type Kind = Callable[[Context], Coroutine[Any, Any, Any]]


def make(lab: Lab, kind: Kind) -> Any:
    """One attempt of the kind, called as Django's Task.call does."""
    context = lab.attempt()
    with ungrouped():
        return async_to_sync(kind)(context)


async def work_of(lab: Lab, item: Any) -> Any:
    await asyncio.sleep(0)
    return lab.work(item)


def test_an_async_kind_awaits_steps_maps_and_the_rest(lab: Lab) -> None:
    async def kind(context: Context) -> Any:
        await context.aprogress(message="Reading")
        first = await context.astep("s", lab.work, "a")
        await context.acheckpoint()
        await context.asleep(0.01)
        return [first, *await context.amap("m", lambda n: work_of(lab, n), range(4), concurrency=2)]

    answers = [{"answer": item} for item in ("a", 0, 1, 2, 3)]
    assert make(lab, kind) == answers
    lab.task.refresh_from_db()
    assert (lab.progress(), lab.task.progress_message) == ((4, 4, 0), "Reading")


@pytest.mark.parametrize("is_async", [True, False])
def test_what_is_finished_is_not_executed_by_the_next_attempt(lab: Lab, is_async: bool) -> None:
    work: Any = (lambda item: work_of(lab, item)) if is_async else lab.work
    lab.fail[5] = [PermanentError("no")]

    async def kind(context: Context) -> Any:
        await context.astep("s", work, "a")
        return await context.amap("m", work, range(8))

    with pytest.raises(PermanentError):
        make(lab, kind)
    lab.crash()
    assert make(lab, kind) == [{"answer": n} for n in range(8)]
    assert lab.executed == Counter(["a", *range(8), 5])


def test_a_step_of_a_sync_kind_may_be_async(lab: Lab) -> None:
    context = lab.attempt()
    assert context.step("s", lambda: work_of(lab, "a")) == {"answer": "a"}
    assert context.map("m", lambda n: work_of(lab, n), range(3), concurrency=3) == [{"answer": n} for n in range(3)]


def test_items_of_an_async_kind_share_its_event_loop_and_are_side_by_side(lab: Lab) -> None:
    async def kind(context: Context) -> None:
        here = asyncio.get_running_loop()
        # Bound to the loop of who waits first.
        together = asyncio.Barrier(3)

        async def item(_: int) -> bool:
            async with asyncio.timeout(45):
                await together.wait()
            return asyncio.get_running_loop() is here

        assert await context.amap("m", item, range(3), concurrency=3) == [True] * 3

    make(lab, kind)


def test_the_event_loop_goes_on_while_a_step_is_in_hand(lab: Lab) -> None:
    async def kind(context: Context) -> bool:
        ticked = threading.Event()
        asyncio.get_running_loop().call_later(0.05, ticked.set)
        waited: bool = await context.astep("s", ticked.wait, 45)
        return waited

    assert make(lab, kind) is True


def test_the_failure_of_an_async_item_is_collected(lab: Lab) -> None:
    lab.fail[1] = [PermanentError("The answer was withheld.")]

    async def kind(context: Context) -> Any:
        return await context.amap("m", lambda n: work_of(lab, n), range(3), concurrency=2, failures="collect")

    assert [item.error_text for item in make(lab, kind)] == ["", "The answer was withheld.", ""]
    assert lab.progress() == (2, 3, 1)


def test_an_async_step_is_tried_again_when_it_may_help(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError("busy")]

    async def kind(context: Context) -> None:
        await context.astep("s", lambda: work_of(lab, "x"))

    make(lab, kind)
    assert lab.executed == {"x": 2}
    assert StepResult.objects.get().tries == 2


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_stop_ends_an_async_kind_at_the_next_step(lab: Lab, concurrency: int) -> None:
    async def item(number: int) -> Any:
        if number == 2:
            await sync_to_async(cancel)(lab.task.pk)
        return await work_of(lab, number)

    async def kind(context: Context) -> None:
        try:
            await context.amap("m", item, range(100), concurrency=concurrency)
        except Exception as error:
            raise AssertionError("a stop is no Exception") from error

    with pytest.raises(CancelRequested):
        make(lab, kind)
    assert 1 <= sum(lab.executed.values()) < 50
    assert lab.progress()[0] == sum(lab.executed.values())


def test_a_stop_is_heard_in_a_sleep(lab: Lab) -> None:
    async def kind(context: Context) -> None:
        await sync_to_async(cancel)(lab.task.pk)
        await context.asleep(60)

    with pytest.raises(CancelRequested):
        make(lab, kind)


def test_an_attempt_that_lost_its_task_stops_and_saves_nothing(lab: Lab) -> None:
    async def kind(context: Context) -> None:
        await context.astep("s", lab.crash)

    with pytest.raises(NotOwner):
        make(lab, kind)
    assert not StepResult.objects.exists()


def test_of_what_a_task_group_raises_the_stop_decides(lab: Lab) -> None:
    async def stop(context: Context) -> None:
        cancel_now = sync_to_async(cancel)
        await cancel_now(lab.task.pk)
        await context.acheckpoint()

    async def kind(context: Context) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stop(context))
            group.create_task(asyncio.sleep(60))

    with pytest.raises(CancelRequested):
        make(lab, kind)


def test_an_error_in_a_task_group_inside_a_step_is_told_by_its_own_reason(lab: Lab) -> None:
    async def fail() -> None:
        raise RetryableError("busy")

    async def step() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    async def kind(context: Context) -> None:
        await context.astep("s", step)

    with pytest.raises(StepFailed, match="Last: busy"):
        make(lab, kind)


@pytest.mark.parametrize("how", ["gather", "inside"])
def test_two_steps_at_once_are_an_error(lab: Lab, how: str) -> None:
    async def kind(context: Context) -> None:
        async def inside() -> None:
            await context.astep("inner", lab.work, 1)

        if how == "inside":
            await context.astep("outer", inside)
        else:
            await asyncio.gather(*(context.astep("s", work_of, lab, n) for n in range(2)))

    with pytest.raises(StepInsideStep, match="while another is in hand"):
        make(lab, kind)


def test_a_step_that_begins_inside_an_item_by_another_road_is_an_error_too(lab: Lab) -> None:
    context = lab.attempt()

    async def item(_: int) -> None:
        await sync_to_async(context.step, thread_sensitive=False)("inner", lab.work, 1)

    with pytest.raises(StepInsideStep):
        context.map("m", item, range(2))


def test_a_step_that_is_not_awaited_is_refused(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests with a browser set it, for a process that may do these afterwards.
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)

    async def kind(context: Context) -> None:
        context.step("s", lab.work, 1)

    with pytest.raises(SynchronousOnlyOperation):
        make(lab, kind)
    assert not lab.executed


def test_after_its_timeout_an_async_step_is_gone_and_the_kind_goes_on(lab: Lab) -> None:
    limits: list[asyncio.Timeout] = []

    async def endless() -> None:
        # It has begun by now.
        limits[0].reschedule(asyncio.get_running_loop().time() + 0.1)
        await asyncio.sleep(60)

    async def limited(context: Context) -> None:
        async with asyncio.timeout(45) as limit:
            limits.append(limit)
            await context.astep("endless", endless)

    async def kind(context: Context) -> Any:
        with pytest.raises(TimeoutError):
            await limited(context)
        return await context.astep("s", lab.work, "a")

    assert make(lab, kind) == {"answer": "a"}
    assert list(StepResult.objects.values_list("index", "name")) == [(1, "s")]


def test_a_map_that_its_kind_gives_up_stops_after_the_items_in_hand(lab: Lab) -> None:
    async def item(number: int) -> Any:
        await asyncio.sleep(0.05)
        return lab.work(number)

    async def kind(context: Context) -> Any:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.12):
                await context.amap("m", item, range(1000), concurrency=2)
        begun = sum(lab.executed.values())
        return begun, await context.astep("s", lab.work, "a")

    begun, _ = make(lab, kind)
    assert begun < 20
    assert sum(lab.executed.values()) == begun + 1


def test_all_that_an_async_kind_asks_the_database_goes_over_the_attempts_own_connection(lab: Lab) -> None:
    here = connection.connection
    seen = []

    async def kind(context: Context) -> None:
        await Task.objects.aget(pk=lab.task.pk)
        await context.astep("s", look)
        await sync_to_async(look)()

    def look() -> None:
        seen.append(connection.connection is here)

    make(lab, kind)
    assert seen == [True, True]


def test_an_async_item_asks_the_database_over_the_connection_of_its_lane(lab: Lab) -> None:
    own = connection.connection

    def look() -> int:
        assert connection.connection is not own
        return threading.get_ident()

    async def item(_: int) -> list[int]:
        await Task.objects.aget(pk=lab.task.pk)
        return [await sync_to_async(look)() for _ in range(2)]

    async def kind(context: Context) -> Any:
        return await context.amap("m", item, range(4), concurrency=2)

    for first, second in make(lab, kind):
        assert first == second != threading.get_ident()
