"""A ledger of calls in memory."""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from django.conf import settings

from tasks_app.endpoint import ModelAnswer, ModelRequest
from tasks_app.endpoint.guard import CallGuard
from tasks_app.work.interruption import Interruption


@dataclass
class MemoryCall:
    idempotency_key: str
    content_key: str
    endpoint: str
    model_name: str
    saved: ModelAnswer | None = None
    outcome: str | None = None
    answer: ModelAnswer | None = None


@dataclass
class MemoryContext:
    """`seconds`: what the attempt has left. `saved`: the answer that the ledger already holds."""

    seconds: float = 300
    saved: ModelAnswer | None = None
    calls: list[MemoryCall] = field(default_factory=list)
    interruption: Interruption = field(default_factory=Interruption)

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.seconds

    @property
    def call_seconds(self) -> float:
        seconds: float = settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS
        return seconds

    def time_left(self) -> float:
        return self.ends - time.monotonic()

    def in_flight(self, call: CallGuard) -> AbstractContextManager[None]:
        return self.interruption.in_flight(call)

    def open_call(self, *, content_key: str, endpoint: str, model_name: str) -> MemoryCall:
        call = MemoryCall(f"key-{len(self.calls) + 1}", content_key, endpoint, model_name, self.saved)
        self.calls.append(call)
        return call

    def close_call(self, call: MemoryCall, *, outcome: str, answer: ModelAnswer | None = None) -> None:
        call.outcome, call.answer = outcome, answer

    @property
    def outcomes(self) -> list[str | None]:
        return [call.outcome for call in self.calls]


def page(number: int) -> ModelRequest:
    """The request for one page of the marker document."""
    content = f"Summarise.\n\nPAGE-{number:04d} and its text."
    return ModelRequest(({"role": "system", "content": "Be brief."}, {"role": "user", "content": content}), 64)
