"""What the scriptable endpoint remembers: calls, scripts, gates. All methods are safe from any thread."""

import hashlib
import re
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .endpoint_behaviours import Behaviour, ok

EVERY = "*"
ANSWER = re.compile(r"R-\d{4}")


@dataclass(slots=True)
class Call:
    """One request that arrived. `time` and `finished` are seconds since the epoch.

    `marker`: "PAGE-0003" for a page, "R-0009" for answers to be combined (the first of them), else "".
    """

    time: float
    marker: str
    body_hash: str
    idempotency_key: str
    behaviour: str
    closed_early: bool = False
    finished: float | None = None


class EndpointState:
    def __init__(self, *, marker: str, log: Path | None = None) -> None:
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._marker = re.compile(marker)
        self._log = log
        self.reset()

    def reset(self) -> None:
        with self._lock:
            self._calls: list[Call] = []
            self._scripts: dict[str, deque[Behaviour]] = defaultdict(deque)
            self._always: Behaviour | None = None
            self._held: set[str] = set()
            self._default = {"latency": 0.0, "pieces": 1}
            self._in_flight = self._max_in_flight = 0

    def script(self, marker: str, behaviours: list[Behaviour]) -> None:
        with self._lock:
            self._scripts[marker] = deque(behaviours)

    def set_always(self, behaviour: Behaviour | None) -> None:
        with self._lock:
            self._always = behaviour

    def set_default(self, **default: Any) -> None:
        with self._lock:
            self._default |= default

    def hold(self, marker: str) -> None:
        with self._lock:
            self._held.add(marker)

    def release(self, marker: str) -> None:
        with self._lock:
            self._held.discard(marker)

    def is_held(self, marker: str) -> bool:
        with self._lock:
            return not self._held.isdisjoint((marker, EVERY))

    @property
    def default(self) -> Behaviour:
        with self._lock:
            return dict(self._default)

    def seen(self) -> dict[str, Any]:
        with self._lock:
            return {
                "calls": [asdict(call) for call in self._calls],
                "in_flight": self._in_flight,
                "max_in_flight": self._max_in_flight,
            }

    @contextmanager
    def arrival(self, body: dict[str, Any], raw: bytes, idempotency_key: str) -> Iterator[tuple[Call, Behaviour]]:
        """Write the request down and say what to do with it; `closed_early` is for the caller to set."""
        found = self._marker.search(last_user_message(body))
        marker = found[0] if found else answers_in(body)[:6]
        with self._lock:
            behaviour = self._scripts[marker].popleft() if self._scripts[marker] else self._always or ok()
            call = Call(time.time(), marker, hashlib.sha256(raw).hexdigest(), idempotency_key, behaviour["name"])
            self._calls.append(call)
            self._in_flight += 1
            self._max_in_flight = max(self._max_in_flight, self._in_flight)
            self._write_log(call)
        try:
            yield call, behaviour
        finally:
            with self._lock:
                self._in_flight -= 1
                call.finished = time.time()

    def _write_log(self, call: Call) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as log:
                fields = (f"{call.time:.3f}", call.marker or "-", call.body_hash[:16], call.idempotency_key or "-")
                log.write(" ".join((*fields, call.behaviour)) + "\n")


def answers_in(body: dict[str, Any]) -> str:
    """Of a request to combine answers: all that it holds ("R-0001 R-0002"), which is the right answer to it."""
    return " ".join(ANSWER.findall(last_user_message(body)))


def last_user_message(body: dict[str, Any]) -> str:
    contents = [m.get("content", "") for m in body.get("messages", []) if m.get("role") == "user"]
    return str(contents[-1]) if contents else ""
