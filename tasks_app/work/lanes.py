"""Lanes: threads of one attempt that work on the items of a map side by side."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connection, connections

from tasks_app.exceptions import Interrupt


def run_lanes(
    perform: Callable[[int], Any], count: int, *, lanes: int, loop: asyncio.AbstractEventLoop | None = None
) -> list[Any]:
    """`perform(0)` to `perform(count - 1)`, at most `lanes` at once; results in order.

    After the first error no lane takes another item; that error is raised when all lanes have stopped, an Interrupt
    before any other. `loop`: of an `async def` kind; what an item awaits, it awaits there.
    """
    results: list[Any] = [None] * count
    lanes = min(lanes, count, _most_lanes(lanes))
    if lanes <= 1:
        for position in range(count):
            results[position] = perform(position)
        return results
    work = _Work(iter(range(count)))

    def lane() -> None:
        try:
            while (position := work.take()) is not None:
                results[position] = perform(position)
        except BaseException as error:
            work.fail(error)
        finally:
            # Connections belong to threads: this one's would stay open for ever.
            connections.close_all()

    with ThreadPoolExecutor(lanes, thread_name_prefix="lane") as threads:
        wait([_begin(lane, threads, loop) for _ in range(lanes)])
    work.raise_first()
    return results


def _begin(
    lane: Callable[[], None], threads: ThreadPoolExecutor, loop: asyncio.AbstractEventLoop | None
) -> "Future[None]":
    if loop is None:
        return threads.submit(lane)
    # Begun by asgiref, so that an `async_to_sync` in the lane finds the kind's loop, and a `sync_to_async` in what is
    # awaited there finds the lane's thread, with the lane's connection.
    return asyncio.run_coroutine_threadsafe(sync_to_async(lane, thread_sensitive=False, executor=threads)(), loop)


def _most_lanes(wanted: int) -> int:
    # A test's transaction belongs to its thread: other threads would not see what it wrote.
    if connection.in_atomic_block:
        return 1
    # Each lane keeps a connection, and the attempt's own thread another: more would wait for one in vain.
    pool = connection.settings_dict["OPTIONS"].get("pool")
    return pool["max_size"] - 1 if isinstance(pool, dict) and "max_size" in pool else wanted


class _Work:
    """Positions still to take, and the errors of the lanes."""

    def __init__(self, positions: Iterator[int]) -> None:
        self._positions = positions
        self._errors: list[BaseException] = []
        self._lock = threading.Lock()

    def take(self) -> int | None:
        with self._lock:
            return None if self._errors else next(self._positions, None)

    def fail(self, error: BaseException) -> None:
        with self._lock:
            self._errors.append(error)

    def raise_first(self) -> None:
        self._errors.sort(key=lambda error: not isinstance(error, Interrupt))
        if self._errors:
            raise self._errors[0]
