"""What a real web process does with bodies that are too large, or that Twisted would read itself."""

import itertools
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus

import psutil  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from websockets.sync.client import connect

from tasks_app.models import ApiToken
from tests.support.client import ApiClient
from tests.support.house import House
from tests.support.programs import Program
from tests.support.rows import make_user

LIMIT = 2**20
HUGE = 99_999_999_999
# Parsed on the event loop, it stops everything for 16 s.
FORM = b"a=1&" * 5_000_000
CHUNK = b"%x\r\n%s\r\n" % (2**16, b"x" * 2**16)


@dataclass
class Site:
    web: Program
    port: int
    token: str

    @property
    def api(self) -> ApiClient:
        return ApiClient(f"http://127.0.0.1:{self.port}", self.token)

    @property
    def refusals(self) -> list[str]:
        return [line for line in self.web.said.splitlines() if "refused a body" in line]

    def head(self, path: str, *headers: str) -> bytes:
        lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.token}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    def tell(self, *parts: bytes) -> bytes:
        """All that is answered, until the server says no more."""
        with self.connected() as client:
            for part in parts:
                client.sendall(part)
            return b"".join(iter(lambda: client.recv(2**16), b""))

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


@contextmanager
def serving(**env: str) -> Iterator[Site]:
    token = ApiToken.issue(make_user().pk)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with House(**env) as house:
        site = Site(house.web(port), port, token)
        house.wait_until(lambda: answers(site), 90, what="the page answers")
        yield site


def answers(site: Site) -> bool:
    try:
        return site.api.get("/healthz").status == 200
    except OSError:
        return False


@pytest.fixture
def site(transactional_db: None) -> Iterator[Site]:
    with serving(LONGHAUL_MAX_UPLOAD_BYTES=str(LIMIT)) as site:
        yield site
        assert "Traceback" not in site.web.said


def send_form(site: Site) -> bytes:
    """As a stranger would who got as far as the check of CSRF, which reads it."""
    head = site.head(
        "/login/",
        f"Content-Length: {len(FORM)}",
        "Content-Type: application/x-www-form-urlencoded",
        f"Cookie: {settings.CSRF_COOKIE_NAME}={'a' * 32}",
        "Connection: close",
    )
    return site.tell(head, FORM)


def send_for(seconds: float, client: socket.socket) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        client.sendall(CHUNK)
        # Slow enough to leave the processor to the server.
        time.sleep(0.01)


def problem(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    told: dict[str, object] = json.loads(body)
    return told


def test_a_large_form_without_a_login_stops_nobody_and_takes_no_memory(transactional_db: None) -> None:
    with serving() as site, ThreadPoolExecutor() as pool:
        process = psutil.Process(site.web.pid)
        before = process.memory_info().rss
        sent = pool.submit(send_form, site)
        for number in itertools.count(1):
            asked = site.api.get("/healthz")
            assert (asked.status, asked.seconds < 8) == (200, True)
            assert process.memory_info().rss - before < 200 * 2**20
            if sent.done() and number >= 20:
                break
        assert sent.result().startswith(b"HTTP/1.1 413 ")
        assert b"That was too much at once" in sent.result()


def test_a_huge_length_is_refused_at_once_in_the_words_of_the_api(site: Site) -> None:
    answer = site.tell(site.head("/api/tasks?secret=1", f"Content-Length: {HUGE}", "Expect: 100-continue"))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer
    assert problem(answer) == {
        "type": "about:blank",
        "title": HTTPStatus(413).phrase,
        "status": 413,
        "detail": "The request is too large: a file may have 1 MB at most.",
        "code": "too_large",
    }
    [refusal] = site.refusals
    assert f"refused a body of {HUGE} bytes or more to '/api/tasks' from 127.0.0.1" in refusal


def test_a_person_is_refused_by_a_page(site: Site) -> None:
    answer = site.tell(site.head("/", f"Content-Length: {HUGE}"), b"the beginning of it")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"text/html" in answer
    assert b"That was too much at once" in answer


def test_a_body_in_chunks_is_cut_off_at_the_limit(site: Site) -> None:
    chunks = [CHUNK] * 100
    answer = site.tell(site.head("/api/tasks", "Transfer-Encoding: chunked"), *chunks, b"0\r\n\r\n")
    assert answer.count(b"HTTP/1.1") == 1
    assert problem(answer)["status"] == 413
    assert len(site.refusals) == 1


def test_who_never_stops_sending_is_disconnected(site: Site) -> None:
    with site.connected() as client:
        client.sendall(site.head("/", "Transfer-Encoding: chunked"))
        with pytest.raises(ConnectionError):
            send_for(60, client)
    assert len(site.refusals) == 1


def test_a_body_of_the_limit_is_taken(site: Site) -> None:
    answer = site.api.submit((b"harbour " * LIMIT)[:LIMIT], name="harbour.txt", instruction="Say what you see.")
    assert (answer.status, site.refusals) == (202, []), answer.body


def test_a_small_body_in_chunks_reaches_its_view(site: Site) -> None:
    answer = site.tell(site.head("/api/tasks", "Transfer-Encoding: chunked", "Connection: close"), CHUNK, b"0\r\n\r\n")
    assert problem(answer)["status"] == 411


def test_a_form_that_is_none_is_told_in_the_words_of_the_api(site: Site) -> None:
    answer = site.tell(
        site.head("/api/tasks", "Content-Type: multipart/form-data", "Content-Length: 3", "Connection: close"), b"a=1"
    )
    assert problem(answer)["status"] == 400


def test_a_socket_opens(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.token}"}
    with connect(
        f"ws://127.0.0.1:{site.port}/ws/tasks/", additional_headers=headers, proxy=None, open_timeout=60
    ) as viewer:
        assert json.loads(viewer.recv(timeout=60))["type"]
