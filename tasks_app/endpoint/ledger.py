"""The ledger of calls, as `complete` needs it. Each call is written down before it is sent and closed after."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from .exchange import ModelAnswer
from .guard import CallGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """Which request to which model. `content_key`: see `exchange.content_key`."""

    content_key: str
    endpoint: str
    model_name: str


class OpenCall(Protocol):
    """A call that is written down, and committed."""

    @property
    def idempotency_key(self) -> str: ...

    @property
    def saved(self) -> ModelAnswer | None:
        """This very request was answered before a crash: use the answer, send nothing."""


class CallContext[Call: OpenCall](Protocol):
    """The attempt on whose behalf the endpoint is called."""

    @property
    def call_seconds(self) -> float:
        """What one call may take in total."""

    @property
    def holder(self) -> str:
        """Whose attempt it is: what befalls several of these is nobody's own fault."""

    def time_left(self) -> float:
        """Seconds that the attempt has left."""

    def rest(self, seconds: float) -> None:
        """Wait that long. Raises the reason of a stop as soon as there is one."""

    def in_flight(self, call: CallGuard) -> AbstractContextManager[None]:
        """Meanwhile a stop of the attempt shuts the call down."""

    def has_answer(self, plan: CallPlan) -> bool:
        """Whether this very request was answered before, so that nothing needs to be sent."""

    def open_call(self, plan: CallPlan) -> Call: ...

    def close_call(self, call: Call, *, outcome: str, answer: ModelAnswer | None = None) -> None:
        """`outcome` is "answered" or the code of the error that the call ended with."""
