"""Ends a call from another thread: at its time limit, or because somebody said stop."""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import httpx2
from httpcore2 import ConnectError, ConnectTimeout, NetworkStream, SyncBackend
from httpcore2._backends.sync import SyncStream


class CallGuard:
    """Holds the connection of one call. `reason`: why the call was shut down, None as long as it was not.

    Closing a socket does not wake a thread that reads from it; shutting it down does. The guard works on a
    descriptor of its own: the caller's may be closed, and its number in use by another connection, at any time.
    """

    def __init__(self) -> None:
        # Reentrant: `watch` calls `release`, which takes it too.
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
        # Of a proxy, whose transport is not ours. The plain connection, before TLS.
        if event.endswith("connect_tcp.complete"):
            self.watch(info["return_value"].get_extra_info("socket"))


GUARD: ContextVar[CallGuard] = ContextVar("GUARD")


def attach(request: httpx2.Request) -> None:
    """Hook of the HTTP client: the transport tells the guard on duty about its connection."""
    request.extensions["trace"] = GUARD.get().trace


class WatchedBackend(SyncBackend):
    """Shows the guard a connection before it is made: to shut it down ends the wait for it too.

    `timeout` bounds all addresses of a host together; the library's own is for each of them.
    """

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Any = None,  # noqa: ARG002
    ) -> NetworkStream:
        until = time.monotonic() + (timeout or 0)
        failure: OSError = ConnectionError(f"{host} has no address")
        try:
            for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    return SyncStream(_connected(family, kind, protocol, address=address, until=until))
                except OSError as error:
                    failure = error
            raise failure
        except TimeoutError as error:
            raise ConnectTimeout(str(error)) from error
        except OSError as error:
            raise ConnectError(str(error)) from error


def _connected(*arguments: int, address: Any, until: float) -> socket.socket:
    connection = socket.socket(*arguments)
    try:
        connection.settimeout(max(0.001, until - time.monotonic()))
        GUARD.get().watch(connection)
        connection.connect(address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connection.close()
        raise
    return connection
