"""The limits of the endpoint, as they are set, and how much a request asks of them."""

from dataclasses import dataclass
from typing import Self

from django.conf import settings

from ..exchange import ModelRequest

# A token of an unknown model, for a careful guess.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """At once, requests a minute, tokens a minute. 0: no limit."""

    at_once: int = 0
    requests: int = 0
    tokens: int = 0

    @classmethod
    def set(cls) -> Self:
        return cls(
            at_once=settings.LONGHAUL_ENDPOINT_CONCURRENCY,
            requests=settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE,
            tokens=settings.LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE,
        )

    def share_of(self, processes: int) -> Self:
        """What one of so many processes may ask without talking to the others; at least one request."""
        return type(self)(
            at_once=_part(self.at_once, processes),
            requests=_part(self.requests, processes),
            tokens=_part(self.tokens, processes),
        )


def _part(whole: int, processes: int) -> int:
    return max(1, whole // max(1, processes)) if whole else 0


def most_tokens(request: ModelRequest) -> int:
    """As many tokens as the request may cost, its answer included."""
    text = sum(len(message["content"].encode(errors="replace")) for message in request.messages)
    return text // BYTES_PER_TOKEN + 1 + request.max_tokens
