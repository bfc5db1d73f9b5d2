"""Why the attempt in hand should stop: from whoever hears of it to those that must notice."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tasks_app.exceptions import HandOver, Interrupt


class InFlight(Protocol):
    """Something that waits for the outside, such as a model call."""

    def shut_down(self, reason: BaseException) -> None: ...


class Interruption:
    """`reason`: None as long as nobody asked the attempt to stop.

    Hazard: `ask` takes locks, so a signal handler must not call it.
    """

    def __init__(self) -> None:
        self.reason: Interrupt | None = None
        self._lock = threading.Lock()
        self._asked = threading.Event()
        self._in_flight: list[InFlight] = []

    def ask(self, reason: Interrupt) -> None:
        """Stop: sleeps wake, calls in flight end, the next checkpoint raises `reason`. Safe from any thread.

        A hand-over waits for the boundary: what is in flight may end, since it is paid for. The first reason stands,
        but a hand-over gives way.
        """
        with self._lock:
            if self.reason is None or isinstance(self.reason, HandOver):
                self.reason = reason
            self._asked.set()
            self._cut()

    def raise_if_asked(self) -> None:
        if self.reason is not None:
            raise self.reason

    def wait(self, seconds: float) -> None:
        """That long, or until it is asked."""
        self._asked.wait(seconds)

    @contextmanager
    def in_flight(self, call: InFlight) -> Iterator[None]:
        """Meanwhile a stop shuts `call` down."""
        with self._lock:
            self._in_flight.append(call)
            self._cut()
        try:
            yield
        finally:
            with self._lock:
                self._in_flight.remove(call)

    def _cut(self) -> None:
        if self.reason is not None and not isinstance(self.reason, HandOver):
            for call in self._in_flight:
                call.shut_down(self.reason)
