"""What the endpoint's own error says: read once, in whichever of the usual forms it came."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from openai import APIError, APIStatusError

from .retry_after import retry_after

# Endpoints that have no word for a text that is too long say so, each in its own way; with their numbers, if any:
# the tokens that fit and those that were sent, or the other way round.
FITS_SENT = re.compile(r"maximum context length (?:is|of) (\d+) tokens(?:\D+(\d+) tokens)?")
SENT_FITS = re.compile(r"(\d+) tokens\D+(\d+)\D* maximum\b|\((\d+) tokens\) is longer than \D+\((\d+) tokens\)")
TOO_LONG = re.compile(r"context (?:length|window|size)|prompt is too long", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`status`: None where none was given. `words`: its `code` and `type`. `message`: "" where it sent a web page.

    `should_retry`: what it asks for by itself, None: nothing. `retry_after`: seconds.
    """

    status: int | None
    words: tuple[str, ...]
    message: str
    should_retry: bool | None = None
    retry_after: float | None = None
    body: Mapping[str, Any]

    @classmethod
    def of(cls, error: APIError) -> Self:
        """Of an answer with an error status, or of an error inside a stream."""
        headers = error.response.headers if isinstance(error, APIStatusError) else {}
        return cls(
            status=error.status_code if isinstance(error, APIStatusError) else number(error.code),
            words=tuple(word.lower() for word in (error.code, error.type) if isinstance(word, str)),
            message=_message(error.body),
            should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "")),
            retry_after=retry_after(headers),
            body=error.body if isinstance(error.body, Mapping) else {},
        )

    @property
    def says_too_long(self) -> bool:
        return self.status in (400, 413, 422) and bool(TOO_LONG.search(self.message))

    def sizes(self) -> tuple[int | None, int | None]:
        """(tokens sent, tokens that fit), from fields or from the sentence."""
        if "n_ctx" in self.body:
            return number(self.body.get("n_prompt_tokens")), number(self.body["n_ctx"])
        if found := FITS_SENT.search(self.message):
            return number(found[2]), number(found[1])
        if found := SENT_FITS.search(self.message):
            return number(found[1] or found[3]), number(found[2] or found[4])
        return None, None


def number(value: object) -> int | None:
    is_number = isinstance(value, int) or (isinstance(value, str) and value.isdecimal() and len(value) < 20)
    return int(value) if is_number else None  # type: ignore[call-overload]


def _message(body: object) -> str:
    if isinstance(body, Mapping):
        body = body.get("message") or body.get("detail")
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""
