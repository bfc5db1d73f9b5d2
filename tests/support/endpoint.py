"""Drives the scriptable model endpoint, in this process or as a program of its own.

    with ModelEndpoint() as endpoint:
        endpoint.script("PAGE-0003", [status(429, headers={"Retry-After": "1"}), ok()])
        ...
        endpoint.wait_for(lambda: len(endpoint.calls_of("PAGE-0003")) == 2)

Each request whose last user message holds `PAGE-0003` takes the next behaviour of its script; after the script, and
without one, the answer is `R-0003`. Everything goes by HTTP, so that both forms behave alike.
"""

import json
import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.request import ProxyHandler, Request, build_opener

from .endpoint_behaviours import Behaviour
from .endpoint_server import MARKER, EndpointServer
from .endpoint_state import EVERY, Call

PROJECT = Path(__file__).resolve().parents[2]


class EndpointControl:
    """An endpoint that already runs at `url` (without `/v1`)."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def base_url(self) -> str:
        """What `MODEL_BASE_URL` wants."""
        return f"{self.url}/v1"

    @property
    def calls(self) -> list[Call]:
        return [Call(**call) for call in self._ask("/_calls")["calls"]]

    def calls_of(self, marker: str) -> list[Call]:
        return [call for call in self.calls if call.marker == marker]

    @property
    def in_flight(self) -> int:
        return int(self._ask("/_calls")["in_flight"])

    @property
    def max_in_flight(self) -> int:
        return int(self._ask("/_calls")["max_in_flight"])

    def most_within(self, seconds: float) -> int:
        """The most requests that arrived within any span of so many seconds."""
        times = sorted(call.time for call in self.calls)
        return max((bisect_left(times, began + seconds) - place for place, began in enumerate(times)), default=0)

    def script(self, marker: str, behaviours: list[Behaviour]) -> None:
        """The next requests for `marker` ("": those without one), in order."""
        self._ask("/_script", {"marker": marker, "behaviours": behaviours})

    def always(self, behaviour: Behaviour | None) -> None:
        """What every request without a script gets from now on: the endpoint as a whole is so. None: well again."""
        self._ask("/_always", {"behaviour": behaviour})

    def default(self, *, latency: float = 0.0, pieces: int = 1) -> None:
        """How `ok` answers: in `pieces` chunks, spread over `latency` seconds."""
        self._ask("/_default", {"latency": latency, "pieces": pieces})

    def hold(self, marker: str = EVERY) -> None:
        """Requests for `marker` arrive, are written down, and wait before their headers until `release`."""
        self._ask("/_hold", {"marker": marker})

    def release(self, marker: str = EVERY) -> None:
        self._ask("/_release", {"marker": marker})

    def reset(self) -> None:
        """Forget calls, scripts, gates and defaults."""
        self._ask("/_reset", {})

    def wait_for(self, predicate: Callable[[], bool], timeout: float = 45) -> None:
        until = time.monotonic() + timeout
        while not predicate():
            if time.monotonic() > until:
                raise TimeoutError(f"not so after {timeout} s; the last calls: {self.calls[-5:]}")
            time.sleep(0.02)

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        with build_opener(ProxyHandler({})).open(Request(self.url + path, data), timeout=60) as answer:
            answered: dict[str, Any] = json.load(answer)
            return answered


class ModelEndpoint(EndpointControl):
    """The endpoint in threads of this process."""

    def __init__(self, *, port: int = 0, marker: str = MARKER, log: Path | None = None) -> None:
        self._server = EndpointServer(port=port, marker=marker, log=log)
        super().__init__(self._server.url)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=[0.05], name="model-endpoint", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.state.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class RemoteModelEndpoint(EndpointControl):
    """The endpoint as a program of its own, which the death of other processes does not touch."""

    def __init__(self, *, port: int = 0, marker: str = MARKER, log: Path | None = None) -> None:
        command = [sys.executable, "-m", "tests.support.endpoint_server", "--port", str(port), "--marker", marker]
        command += ["--log", str(log.resolve())] if log else []
        self._program = subprocess.Popen(
            command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        said = self._program.stdout.readline() if self._program.stdout else ""
        if not said:
            raise RuntimeError(f"the endpoint did not start on port {port}: its error stands above")
        super().__init__(said.split()[-1])

    @property
    def pid(self) -> int:
        return self._program.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._program.terminate()
        self._program.communicate()
