"""What the body of a request may cost before Django sees it.

Twisted spools a body of any size to the disk, and then parses every POST form on the event loop, for `Request.args`,
which daphne never reads. Both come before any view, its login and its look at the size: 20 MB of `a=1&` from anybody
stopped the process for 16 s and took gigabytes.
"""

import logging
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from daphne import http_protocol
from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string

from tasks_app.api.problems import Problem
from tasks_app.conf import most_body_bytes

# Closed while bytes of the body are still coming in, a connection is reset, and the client may never see its answer.
LINGER_SECONDS = 5

logger = logging.getLogger(__name__)


class BoundedRequest(http_protocol.WebRequest):  # type: ignore[misc]
    """Answers 413 to a body over the limit of an upload as soon as that is known, and keeps nothing of it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, parsePOSTFormSubmission=False, **options)
        self._is_refused = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802
        """`length`: as declared; None where only counting tells (chunked)."""
        if length is not None and length > most_body_bytes():
            self._refuse(length)
        else:
            super().gotLength(length)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        if self._is_refused:
            return
        length = self.content.tell() + len(data)
        if length > most_body_bytes():
            self._refuse(length)
        else:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        if not self._is_refused:
            super().requestReceived(command, path, version)

    def _refuse(self, length: int) -> None:
        self._is_refused = True
        # Of the request line: `self.path` is set only after the body. The query may hold secrets.
        path = self.channel._path.partition(b"?")[0].decode("latin-1")
        client = getattr(self.client, "host", "a local socket")
        logger.warning("refused a body of %s bytes or more to %r from %s", length, path, client)
        # To "Expect: 100-continue" Twisted would now say to go on.
        self.requestHeaders.removeHeader(b"Expect")
        self._answer(refusal(path))

    def _answer(self, response: HttpResponse) -> None:
        status = HTTPStatus(response.status_code)
        self.channel.writeHeaders(b"HTTP/1.1", b"%d" % status, status.phrase.encode(), list(headers(response)))
        self.channel.write(response.content)
        self.transport.loseWriteConnection()
        self.channel.callLater(LINGER_SECONDS, self.transport.abortConnection)


def refusal(path: str) -> HttpResponse:
    if not path.startswith("/api/"):
        return HttpResponse(render_to_string("413.html"), status=413)
    limit = settings.LONGHAUL_MAX_UPLOAD_BYTES
    return Problem(
        413, f"The request is too large: a file may have {limit / 2**20:g} MB at most.", code="too_large"
    ).response()


def headers(response: HttpResponse) -> Iterator[tuple[bytes, bytes]]:
    for name, value in response.items():
        yield name.encode(), value.encode()
    yield b"Content-Length", str(len(response.content)).encode()
    yield b"Connection", b"close"


def bound_bodies() -> None:
    """Make daphne build its requests so: its factory looks the class up by this name for every connection."""
    http_protocol.WebRequest = BoundedRequest
