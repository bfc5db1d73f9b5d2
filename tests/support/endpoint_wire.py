"""The connection of one request at the scriptable endpoint, byte by byte."""

import select
import socket
import struct
import threading
import time
from contextlib import suppress
from http import HTTPStatus


class ClientGone(Exception):
    """The client closed the connection before it had the whole answer."""


class Wire:
    def __init__(self, connection: socket.socket, stopping: threading.Event) -> None:
        self.connection = connection
        self.stopping = stopping

    def begin(self, content_type: str = "text/event-stream") -> None:
        """Status 200 and the headers of a chunked body."""
        headers = f"Content-Type: {content_type}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
        self.write(f"HTTP/1.1 200 OK\r\n{headers}\r\n".encode())

    def send(self, text: str, *, piece_bytes: int | None = None) -> None:
        """`text` as one HTTP chunk, or as chunks of `piece_bytes` each."""
        data = text.encode()
        size = piece_bytes or len(data) or 1
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            self.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    def end(self) -> None:
        self.write(b"0\r\n\r\n")

    def whole(self, status: int, body: str, *, headers: dict[str, str] | None = None) -> None:
        """An answer that does not stream."""
        data = body.encode()
        kind = "text/html" if body.startswith("<") else "application/json"
        lines = {"Content-Type": kind, "Content-Length": str(len(data)), "Connection": "close", **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.write(f"HTTP/1.1 {status} {phrase(status)}\r\n{head}\r\n".encode() + data)

    def write(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError as error:
            raise ClientGone from error

    def pause(self, seconds: float | None) -> None:
        """Wait, for ever with None; raise ClientGone as soon as the client has gone or the endpoint stops."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self.stopping.is_set():
            left = 0.1 if until is None else min(0.1, until - time.monotonic())
            if left <= 0:
                return
            # The client has sent all it had to: what can be read now is the end.
            if select.select([self.connection], [], [], left)[0]:
                break
        raise ClientGone

    def reset(self) -> None:
        """Close with RST, as a process that crashed would."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with suppress(OSError):
            self.connection.close()


def phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
