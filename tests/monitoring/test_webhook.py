"""One signed POST, to a receiver that may be slow, broken or hostile."""

import hashlib
import hmac
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tasks_app.monitoring import webhook
from tasks_app.monitoring.webhook import NotTaken, post
from tests.support.programs import wait_until
from tests.support.receiver import Receiver

BODY = b'{"type": "alert.opened"}'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as started:
        yield started


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """The whole exchange may take half a second."""
    monkeypatch.setattr(webhook, "TOTAL_SECONDS", 0.5)
    return 0.5


def send(receiver: Receiver, *, secret: str = "hush") -> None:
    post(receiver.url, BODY, delivery=7, secret=secret)


def test_its_body_its_number_and_its_signature_arrive(receiver: Receiver) -> None:
    send(receiver)
    (got,) = receiver.received
    assert (got.path, got.body, got.headers["content-type"]) == ("/hook?for=ops", BODY, "application/json")
    assert got.headers["x-longhaul-delivery"] == "7"
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", got.headers["x-longhaul-signature"])
    assert found is not None
    assert abs(int(found[1]) - time.time()) < 30
    # As a receiver would check it.
    assert found[2] == hmac.new(b"hush", f"{found[1]}.".encode() + got.body, hashlib.sha256).hexdigest()


def test_without_a_secret_there_is_no_signature(receiver: Receiver) -> None:
    send(receiver, secret="")
    assert "x-longhaul-signature" not in receiver.received[0].headers


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
def test_only_2xx_means_that_it_was_taken(receiver: Receiver, status: int) -> None:
    receiver.answers = [status, 204]
    with pytest.raises(NotTaken, match=f"It answered {status}, expected 2xx"):
        send(receiver)
    send(receiver)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(receiver: Receiver, status: int) -> None:
    receiver.answers = [status]
    with pytest.raises(NotTaken, match=f"answered {status}"):
        send(receiver)
    assert len(receiver.received) == 1


def test_an_endless_answer_is_not_read(receiver: Receiver) -> None:
    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not receiver.stopping.is_set():
            handler.wfile.write(b"x" * 65536)

    receiver.answers = [endless]
    began = time.monotonic()
    send(receiver)
    assert time.monotonic() - began < 10


def trickle(handler: Any) -> None:
    """A head that never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.stopping.wait(0.05):
        handler.wfile.write(b"X")


def hang(handler: Any) -> None:
    handler.server.stopping.wait(30)


@pytest.mark.parametrize("behaviour", [trickle, hang])
def test_the_whole_exchange_has_a_limit(receiver: Receiver, hasty: float, behaviour: Callable[[Any], None]) -> None:
    receiver.answers = [behaviour]
    began = time.monotonic()
    with pytest.raises(NotTaken, match="Not answered within"):
        send(receiver)
    assert time.monotonic() - began < hasty + 10


def test_the_beginning_of_tls_is_under_the_limit_too(hasty: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(NotTaken, match="Not answered within"):
            post(f"https://127.0.0.1:{silent.getsockname()[1]}/", BODY, delivery=1, secret="")
        assert time.monotonic() - began < hasty + 10


def garbage(handler: Any) -> None:
    handler.wfile.write(b"\x00\xff not HTTP\r\n\r\n")


def many_headers(handler: Any) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10_000 + b"\r\n")


def hang_up(handler: Any) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("behaviour", [garbage, many_headers, hang_up])
def test_what_is_no_answer_is_not_taken_and_says_nothing_of_the_address(
    receiver: Receiver, behaviour: Callable[[Any], None]
) -> None:
    receiver.answers = [behaviour]
    with pytest.raises(NotTaken, match=r"^No answer: \w+\.$"):
        send(receiver)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://nowhere.invalid/", "http://[bad/", "http://h:99999/"])
def test_an_address_where_nobody_is_is_not_taken(url: str) -> None:
    with pytest.raises(NotTaken, match="No answer"):
        post(url, BODY, delivery=1, secret="")


def test_plain_http_behind_an_https_address_is_not_taken(receiver: Receiver) -> None:
    with pytest.raises(NotTaken, match="No answer: SSLError"):
        post(receiver.url.replace("http", "https"), BODY, delivery=1, secret="")
    assert ssl.SSLError.__name__ == "SSLError"


def test_no_watcher_is_left_behind(receiver: Receiver) -> None:
    send(receiver)
    watching = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    wait_until(lambda: not [one for one in watching if one.is_alive()], 10, what="the watchers have gone")
