"""The model endpoint: one function that calls it, and what can go wrong.

The SDK takes a third of a second to import and 50 MB to keep, so only who calls an endpoint imports what needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .down import FailsForEveryone
from .exchange import ModelAnswer, ModelRequest
from .ledger import CallContext, CallPlan, OpenCall

if TYPE_CHECKING:
    from .client import complete
    from .errors import (
        CallTimeout,
        ContentFiltered,
        ContextTooLong,
        EmptyAnswer,
        EndpointNotFound,
        EndpointRefused,
        Nonsense,
        QuotaSpent,
        RateLimited,
        RequestRefused,
        ServerError,
        StreamBroken,
        StreamError,
    )
    from .guard import CallGuard
    from .tokens import CannotCount, token_counter

__all__ = [
    "CallContext",
    "CallGuard",
    "CallPlan",
    "CallTimeout",
    "CannotCount",
    "ContentFiltered",
    "ContextTooLong",
    "EmptyAnswer",
    "EndpointNotFound",
    "EndpointRefused",
    "FailsForEveryone",
    "ModelAnswer",
    "ModelRequest",
    "Nonsense",
    "OpenCall",
    "QuotaSpent",
    "RateLimited",
    "RequestRefused",
    "ServerError",
    "StreamBroken",
    "StreamError",
    "complete",
    "token_counter",
]


def __getattr__(name: str) -> Any:
    for module in ("client", "errors", "guard", "tokens"):
        found = getattr(import_module(f".{module}", __name__), name, None)
        if found is not None and name in __all__:
            return found
    raise AttributeError(name)
