"""JSON objects, one a line, between a worker and its child."""

import json
import socket
from typing import Any

type Message = dict[str, Any]


class PipeClosed(ConnectionError):
    """The other end is gone."""


class Pipe:
    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._unread = b""

    def send(self, message: Message) -> None:
        """Raises PipeClosed."""
        self._end.settimeout(None)
        try:
            self._end.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise PipeClosed(str(error)) from error

    def receive(self, *, within: float | None = None) -> Message | None:
        """The next message; None when none came within that many seconds (None: for ever). Raises PipeClosed."""
        while b"\n" not in self._unread:
            if not self._read(within):
                return None
        line, _, self._unread = self._unread.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def _read(self, within: float | None) -> bool:
        # Zero would mean: do not block, and raise another error.
        self._end.settimeout(within if within is None else max(within, 0.001))
        try:
            data = self._end.recv(65536)
        except TimeoutError:
            return False
        except OSError as error:
            raise PipeClosed(str(error)) from error
        if not data:
            raise PipeClosed("the other end was closed")
        self._unread += data
        return True

    def close(self) -> None:
        self._end.close()
