"""Lanes: threads of one attempt that work on the items of a map side by side."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connections

from tasks_app.exceptions import Interrupt


def run_lanes(perform: Callable[[int], Any], count: int, *, lanes: int) -> list[Any]:
    """`perform(0)` to `perform(count - 1)`, at most `lanes` at once; results in order.

    After the first error no lane takes another item; that error is raised when all lanes have stopped, an Interrupt
    before any other.
    """
    results: list[Any] = [None] * count
    if lanes <= 1 or count <= 1:
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

    threads = [threading.Thread(target=lane, name=f"lane-{n}", daemon=True) for n in range(min(lanes, count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work.raise_first()
    return results


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
