"""One signed POST to an address that may be slow, broken or hostile."""

import hashlib
import hmac
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from threading import Timer
from urllib.parse import SplitResult, urlsplit

# The whole exchange, however its bytes trickle; and each wait for a byte.
TOTAL_SECONDS = 15.0
MOMENT_SECONDS = 5.0


class NotTaken(Exception):
    """The other side did not take it. Says why, without what was sent."""


def signature(body: bytes, *, secret: str, at: int) -> str:
    """Of the header X-Longhaul-Signature. `at`: seconds since the epoch, so that an old message can be refused."""
    code = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={code}"


def post(url: str, body: bytes, *, delivery: int, secret: str) -> None:
    """JSON. `delivery`: its number, by which the receiver knows a message that it got before. Raises NotTaken.

    Only a 2xx means that it was taken. A redirect is not followed: the address is the operator's, not the receiver's
    to choose. Nothing of the answer but its head is read.
    """
    headers = {"Content-Type": "application/json", "User-Agent": "Longhaul", "X-Longhaul-Delivery": str(delivery)}
    if secret:
        headers["X-Longhaul-Signature"] = signature(body, secret=secret, at=int(time.time()))
    try:
        status = _exchange(urlsplit(url), body, headers)
    except NotTaken:
        raise
    except (OSError, HTTPException, ValueError, AttributeError) as error:
        raise NotTaken(f"No answer: {type(error).__name__}.") from error
    if not 200 <= status < 300:
        raise NotTaken(f"It answered {status}, expected 2xx.")


def _exchange(url: SplitResult, body: bytes, headers: Mapping[str, str]) -> int:
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    until = time.monotonic() + TOTAL_SECONDS
    # Opened here rather than by http.client, so that TLS begins under the limit too.
    with socket.create_connection((host, port), MOMENT_SECONDS) as plain:
        channel = plain
        if url.scheme == "https":
            context = ssl.create_default_context()
            channel = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
        with channel, _shut_down(channel, at=until):
            if isinstance(channel, ssl.SSLSocket):
                channel.do_handshake()
            connection = HTTPConnection(host, port)
            connection.sock = channel
            connection.request("POST", _target(url), body, dict(headers) | {"Connection": "close"})
            return connection.getresponse().status


def _target(url: SplitResult) -> str:
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


@contextmanager
def _shut_down(channel: socket.socket, *, at: float) -> Iterator[None]:
    """A limit on each wait is none on the whole: only a shut down socket wakes who reads byte after byte."""
    late: list[bool] = []

    def shut_down() -> None:
        late.append(True)
        with suppress(OSError):
            # The socket itself: SSLSocket's own would take the session away under its reader's hands.
            socket.socket.shutdown(channel, socket.SHUT_RDWR)

    timer = Timer(max(at - time.monotonic(), 0.0), shut_down)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        if late:
            raise _late() from error
        raise
    else:
        # An end in the middle of the head looks as the end of the head.
        if late:
            raise _late()
    finally:
        timer.cancel()


def _late() -> NotTaken:
    return NotTaken(f"Not answered within {TOTAL_SECONDS:g} s.")
