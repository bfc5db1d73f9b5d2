import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tasks_app.endpoint import CannotCount, token_counter
from tasks_app.exceptions import Misconfigured, Unavailable


class Tokenizer(BaseHTTPRequestHandler):
    """llama.cpp's: a token for each word."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["content"]
        answers = {"broken": b"{", "other": b'{"count": 3}'}
        body = answers.get(text) or json.dumps({"tokens": list(range(len(text.split())))}).encode()
        self.send_response({"fail": 500, "loading": 503, "nowhere": 404}.get(text, 200))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def tokenizer(settings: Any) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Tokenizer)
    Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    settings.MODEL_TOKENIZE_URL = f"http://127.0.0.1:{server.server_port}/tokenize"
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("tokenizer")
def test_the_endpoint_counts_where_it_can_be_asked() -> None:
    with token_counter(otherwise=len) as size:
        assert (size("three small words"), size("")) == (3, 0)


def test_elsewhere_it_is_estimated(settings: Any) -> None:
    settings.MODEL_TOKENIZE_URL = ""
    with token_counter(otherwise=len) as size:
        assert size("three") == 5


def test_an_endpoint_that_is_away_is_waited_for(settings: Any) -> None:
    settings.MODEL_TOKENIZE_URL = "http://127.0.0.1:9/tokenize"
    with token_counter(otherwise=len) as size, pytest.raises(Unavailable, match="cannot be reached"):
        size("three")


@pytest.mark.usefixtures("tokenizer")
def test_an_endpoint_that_still_loads_its_model_is_waited_for_too() -> None:
    with token_counter(otherwise=len) as size, pytest.raises(Unavailable, match="not ready"):
        size("loading")


@pytest.mark.usefixtures("tokenizer")
def test_an_endpoint_that_does_not_count_is_a_matter_of_settings() -> None:
    with token_counter(otherwise=len) as size, pytest.raises(Misconfigured, match="check MODEL_TOKENIZE_URL"):
        size("nowhere")


@pytest.mark.usefixtures("tokenizer")
@pytest.mark.parametrize("text", ["fail", "broken", "other"])
def test_an_answer_that_is_no_count_can_be_tried_again(text: str) -> None:
    with token_counter(otherwise=len) as size, pytest.raises(CannotCount, match="count tokens"):
        size(text)
