"""The ledger of calls, as `complete` needs it. Each call is written down before it is sent and closed after."""

from contextlib import AbstractContextManager
from typing import Protocol

from .exchange import ModelAnswer
from .guard import CallGuard


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

    def time_left(self) -> float:
        """Seconds that the attempt has left."""

    def in_flight(self, call: CallGuard) -> AbstractContextManager[None]:
        """Meanwhile a stop of the attempt shuts the call down."""

    def open_call(self, *, content_key: str, endpoint: str, model_name: str) -> Call: ...

    def close_call(self, call: Call, *, outcome: str, answer: ModelAnswer | None = None) -> None:
        """`outcome` is "answered" or the code of the error that the call ended with."""
