"""Ends a call from another thread: at its time limit, or because somebody said stop."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import httpx2


class CallGuard:
    """Holds the connection of one call. `reason`: why the call was shut down, None as long as it was not.

    Closing a socket does not wake a thread that reads from it; shutting it down does. The guard works on a
    descriptor of its own: the caller's may be closed, and its number in use by another connection, at any time.
    """

    def __init__(self) -> None:
        # Reentrant: `watch` lets go of the connection before.
        self._lock = threading.RLock()
        self._connection: socket.socket | None = None
        self.reason: BaseException | None = None

    def shut_down(self, reason: BaseException) -> None:
        """End the call with `reason`; the first reason stands. Safe from any thread, at any time."""
        with self._lock:
            self.reason = self.reason or reason
            self._cut()

    def watch(self, connection: socket.socket) -> None:
        with self._lock:
            self.release()
            self._connection = connection.dup()
            if self.reason:
                self._cut()

    def release(self) -> None:
        """Let go of the connection, which stays open for its other holder."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _cut(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def limit(self, seconds: float, reason: BaseException) -> Iterator[None]:
        """Shut the call down with `reason` when it is still going on after `seconds`."""
        timer = threading.Timer(seconds, self.shut_down, [reason])
        timer.name = "model-call-limit"
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    @contextmanager
    def on_duty(self) -> Iterator[None]:
        """Every connection that this thread opens meanwhile is this guard's."""
        token = GUARD.set(self)
        try:
            yield
        finally:
            GUARD.reset(token)
            self.release()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        # The plain connection, before TLS: so a handshake that hangs can be shut down too.
        if event.endswith("connect_tcp.complete"):
            self.watch(info["return_value"].get_extra_info("socket"))


GUARD: ContextVar[CallGuard] = ContextVar("GUARD")


def attach(request: httpx2.Request) -> None:
    """Hook of the HTTP client: the transport tells the guard on duty about its connection."""
    request.extensions["trace"] = GUARD.get().trace
