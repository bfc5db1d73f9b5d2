"""The model endpoint: one function that calls it, and what can go wrong."""

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
from .exchange import ModelAnswer, ModelRequest
from .guard import CallGuard
from .ledger import CallContext, OpenCall

__all__ = [
    "CallContext",
    "CallGuard",
    "CallTimeout",
    "ContentFiltered",
    "ContextTooLong",
    "EmptyAnswer",
    "EndpointNotFound",
    "EndpointRefused",
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
]
