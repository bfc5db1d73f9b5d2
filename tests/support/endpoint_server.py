"""The scriptable model endpoint: OpenAI's protocol over real HTTP, one thread for each request.

As a program: `python -m tests.support.endpoint_server --port 8099 --log calls.log` says where it listens and serves
until it is ended. It is scripted by HTTP: see `Handler.CONTROLS`, and `tests.support.endpoint` for its client.
"""

import argparse
import json
import socketserver
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .endpoint_answering import Answering
from .endpoint_behaviours import Behaviour
from .endpoint_state import Call, EndpointState, answers_in
from .endpoint_wire import ClientGone, Wire

MARKER = r"PAGE-\d{4}"


class Handler(socketserver.BaseRequestHandler):
    server: "EndpointServer"

    CONTROLS: dict[str, Callable[[EndpointState, dict[str, Any]], None]] = {
        "/_script": lambda state, sent: state.script(sent["marker"], sent["behaviours"]),
        "/_always": lambda state, sent: state.set_always(sent["behaviour"]),
        "/_default": lambda state, sent: state.set_default(**sent),
        "/_hold": lambda state, sent: state.hold(sent["marker"]),
        "/_release": lambda state, sent: state.release(sent["marker"]),
        "/_reset": lambda state, _: state.reset(),
    }

    def handle(self) -> None:
        self.state = self.server.state
        self.wire = Wire(self.request, self.state.stopping)
        with suppress(ClientGone, ConnectionError):
            self.route(*read_request(self.request))

    def route(self, path: str, headers: dict[str, str], raw: bytes) -> None:
        body = json.loads(raw or b"{}")
        if path.endswith("/chat/completions"):
            self.complete(body, raw, headers.get("idempotency-key", ""))
        elif path in self.CONTROLS:
            self.CONTROLS[path](self.state, body)
            self.wire.whole(200, "{}")
        else:
            self.read_only(path)

    def read_only(self, path: str) -> None:
        pages: dict[str, Any] = {
            "/_calls": self.state.seen(),
            "/v1/models": {"object": "list", "data": [{"id": "scripted", "object": "model"}]},
            "/healthz": {"status": "ok"},
            "/health": {"status": "ok"},
        }
        self.wire.whole(
            200 if path in pages else 404, json.dumps(pages.get(path, {"error": {"message": "no such path"}}))
        )

    def complete(self, body: dict[str, Any], raw: bytes, idempotency_key: str) -> None:
        with self.state.arrival(body, raw, idempotency_key) as (call, behaviour):
            try:
                self.wait_at_gate(call.marker)
                self.answer(call, body, behaviour)
            except ClientGone:
                call.closed_early = True

    def wait_at_gate(self, marker: str) -> None:
        while self.state.is_held(marker):
            self.wire.pause(0.02)

    def answer(self, call: Call, body: dict[str, Any], behaviour: Behaviour) -> None:
        combined = answers_in(body) if call.marker.startswith("R-") else ""
        right = combined or "R-" + (call.marker.rpartition("-")[2] or call.body_hash[:8])
        Answering(self.wire, answer=right, body=body, default=self.state.default).perform(behaviour)


class EndpointServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, *, port: int = 0, marker: str = MARKER, log: Path | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.state = EndpointState(marker=marker, log=log)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


def read_request(connection: Any) -> tuple[str, dict[str, str], bytes]:
    """Path, headers with names in lower case, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
        if not data[:1].isalpha():
            # No HTTP, TLS for instance: hang up, as servers do.
            raise ClientGone
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += receive(connection)
    return first.split(" ")[1], headers, body


def receive(connection: Any) -> bytes:
    data: bytes = connection.recv(65536)
    if not data:
        raise ClientGone
    return data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    parser.add_argument("--log", type=Path, help="one line for each request: time, marker, body hash, key, behaviour")
    parser.add_argument("--marker", default=MARKER, help="regular expression of the marker in the last user message")
    options = parser.parse_args()
    with EndpointServer(port=options.port, marker=options.marker, log=options.log) as server:
        sys.stdout.write(f"listening on {server.url}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
