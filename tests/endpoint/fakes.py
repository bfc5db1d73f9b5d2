"""A ledger of calls in memory."""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from django.conf import settings

from tasks_app.endpoint import CallPlan, ModelAnswer, ModelRequest
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
    """`seconds`: what the attempt has left. `holder`: its task. `saved`: the answer that the ledger already holds."""

    seconds: float = 300
    holder: str = "a-task"
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

    def rest(self, seconds: float) -> None:
        self.interruption.wait(seconds)
        self.interruption.raise_if_asked()

    def has_answer(self, plan: CallPlan) -> bool:
        return self.saved is not None

    def open_call(self, plan: CallPlan) -> MemoryCall:
        name = f"key-{len(self.calls) + 1}"
        call = MemoryCall(name, plan.content_key, plan.endpoint, plan.model_name, self.saved)
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
