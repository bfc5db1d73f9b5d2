"""Whether the endpoint answers, asked without a model call."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tasks_app.endpoint import health
from tests.support.endpoint import ModelEndpoint


@contextmanager
def answering(reply: bytes) -> Iterator[str]:
    """An address that answers each connection with these bytes, and then is silent."""
    held = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                held.append(connection)
                connection.recv(4096)
                connection.sendall(reply)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        server.shutdown(socket.SHUT_RDWR)
    for connection in held:
        connection.close()


def test_an_endpoint_that_lists_its_models_answers_and_no_call_is_made(settings: Any) -> None:
    with ModelEndpoint() as endpoint:
        settings.MODEL_BASE_URL = endpoint.base_url
        assert health.check().answers
        assert endpoint.calls == []


@pytest.mark.parametrize(
    ("line", "answers", "says"),
    [
        ("404 Not Found", True, "answers."),
        ("401 Unauthorized", False, "check MODEL_API_KEY"),
        ("503 Busy", False, "HTTP 503; expected 200"),
        ("302 Found", False, "HTTP 302; expected 200"),
    ],
)
def test_the_status_decides_and_the_body_is_not_waited_for(settings: Any, line: str, answers: bool, says: str) -> None:
    with answering(f"HTTP/1.1 {line}\r\nContent-Length: 1000000\r\n\r\n".encode()) as settings.MODEL_BASE_URL:
        found = health.check()
    assert (found.answers, says in found.text) == (answers, True)


def test_an_endpoint_that_says_nothing_does_not_answer(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "ANSWER_SECONDS", 0.2)
    with answering(b"") as settings.MODEL_BASE_URL:
        assert health.check().text.endswith("did not answer within 0.2 seconds.")


def test_an_endpoint_that_is_away_is_named_without_the_account_in_its_address(settings: Any) -> None:
    settings.MODEL_BASE_URL = "http://ada:secret@127.0.0.1:9/v1?key=secret"
    found = health.check()
    assert not found.answers
    assert found.text.startswith("The model endpoint at http://127.0.0.1:9/v1 cannot be reached: ")
    assert "secret" not in found.text


def test_a_key_that_no_header_takes_is_not_shown(settings: Any) -> None:
    # As a file holds it. The client shows the whole header in its error.
    settings.MODEL_API_KEY = "sk-very-secret-key\n"
    with answering(b"HTTP/1.1 200 OK\r\n\r\n") as settings.MODEL_BASE_URL:
        found = health.check()
    assert not found.answers
    assert "secret" not in found.text
