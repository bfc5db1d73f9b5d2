"""The error table: from what happened at the model endpoint to an error that says what to do about it.

Retryable errors may be tried again, after `retry_after` seconds where the endpoint asked for a wait. Permanent
errors concern this one request, Misconfigured ones every request. `Unavailable` means that nobody can be served.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from openai import APIConnectionError, APIError, APIStatusError

from tasks_app.exceptions import LonghaulError, Misconfigured, PermanentError, RetryableError, Unavailable
from tasks_app.text import one_line, shorten

from .retry_after import retry_after

MESSAGE_CHARACTERS = 500


class Reported(LonghaulError):
    """What the endpoint itself reported. `says` begins the message; the endpoint's own words follow."""

    says: ClassVar[str]


class RateLimited(Reported, RetryableError):
    code = "rate_limited"
    says = "The model endpoint asks us to slow down"


class ServerError(Reported, RetryableError):
    code = "server_error"
    says = "The model endpoint could not answer"


class StreamError(Reported, RetryableError):
    code = "stream_error"
    says = "The model endpoint reported an error in the middle of its answer"


class CallTimeout(RetryableError):
    code = "call_timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The model endpoint did not finish its answer within {seconds:g} seconds.")
        self.seconds = seconds


class StreamBroken(RetryableError):
    code = "stream_broken"

    def __init__(self) -> None:
        super().__init__("The model endpoint broke off in the middle of its answer, which was expected to end.")


class Nonsense(RetryableError):
    code = "nonsense"

    def __init__(self) -> None:
        super().__init__("The model endpoint answered with something that is not a chat completion.")


class EmptyAnswer(RetryableError):
    code = "empty_answer"

    def __init__(self, finish_reason: str) -> None:
        super().__init__(
            sentence(f"The model endpoint gave an answer without text (finish reason: {finish_reason}).", "")
        )
        self.finish_reason = finish_reason


class EndpointRefused(Reported, Misconfigured):
    code = "endpoint_refused"
    says = "The model endpoint does not let us in: check MODEL_API_KEY"


class EndpointNotFound(Reported, Misconfigured):
    code = "endpoint_not_found"
    says = "The model endpoint does not know this address or model: check MODEL_BASE_URL and MODEL_NAME"


class QuotaSpent(Reported, Misconfigured):
    code = "quota"
    says = "The quota at the model endpoint is spent: check the account's plan and billing"


class ContentFiltered(Reported, PermanentError):
    code = "content_filter"
    says = "The model endpoint's content filter stopped the answer"

    def __init__(self, message: str = f"{says}.") -> None:
        super().__init__(message)


class RequestRefused(Reported, PermanentError):
    code = "request_refused"
    says = "The model endpoint refused the request"


class ContextTooLong(Reported, PermanentError):
    """`prompt_tokens` were sent, `context_tokens` fit; None where the endpoint did not say."""

    code = "context_too_long"
    says = "The text is too long for the model"

    def __init__(self, message: str, *, prompt_tokens: int | None = None, context_tokens: int | None = None) -> None:
        super().__init__(message)
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


# The endpoint's own word for it, its `code` or `type`, goes before the status.
BY_WORD: dict[str, type[Reported]] = {
    "insufficient_quota": QuotaSpent,
    "content_filter": ContentFiltered,
    "context_length_exceeded": ContextTooLong,
    "exceed_context_size_error": ContextTooLong,
}
BY_STATUS: dict[int, type[Reported]] = {
    401: EndpointRefused,
    402: QuotaSpent,
    403: EndpointRefused,
    404: EndpointNotFound,
    408: ServerError,
    409: ServerError,
    429: RateLimited,
}
# Endpoints that have no word for it say this, with status 400.
CONTEXT_SENTENCE = re.compile(r"maximum context length is (\d+) tokens(?:\D+(\d+) tokens)?")


def before_answer(error: Exception) -> Exception:
    """What an error means that came before the endpoint's answer began; an unknown error is itself."""
    if isinstance(error, APIConnectionError):
        return _unreachable(error)
    if isinstance(error, httpx2.RequestError):
        # The body of an error broke off: the SDK reads it unguarded.
        return StreamBroken()
    return _reported(error) if isinstance(error, APIError) else error


def within_answer(error: Exception) -> Exception:
    """What an error means that came while the answer was read; an unknown error is itself."""
    if isinstance(error, APIConnectionError):
        return StreamBroken()
    if isinstance(error, AttributeError | TypeError | ValueError | RecursionError):
        # JSON that is none or has no bottom, UTF-8 that is none, or a shape that no chunk has.
        return Nonsense()
    return _reported(error) if isinstance(error, APIError) else error


def _unreachable(error: APIConnectionError) -> LonghaulError:
    cause = error.__cause__
    if isinstance(cause, httpx2.RemoteProtocolError) and "disconnected" not in str(cause):
        return Nonsense()
    where = shown_url(settings.MODEL_BASE_URL)
    return Unavailable(sentence(f"The model endpoint at {where} cannot be reached", str(cause or error)))


def _reported(error: APIError) -> LonghaulError:
    """The endpoint itself said what is wrong, by a status or inside its stream."""
    status = error.status_code if isinstance(error, APIStatusError) else _number(error.code)
    kind = _kind(error, status)
    message = sentence(f"{kind.says} (HTTP {status})" if status else kind.says, _own_words(error.body))
    if issubclass(kind, RetryableError):
        wait = retry_after(error.response.headers) if isinstance(error, APIStatusError) else None
        return kind(message, retry_after=wait)
    if issubclass(kind, ContextTooLong):
        prompt_tokens, context_tokens = _sizes(error)
        return kind(message, prompt_tokens=prompt_tokens, context_tokens=context_tokens)
    return kind(message)


def _kind(error: APIError, status: int | None) -> type[Reported]:
    for word in (error.code, error.type):
        if isinstance(word, str) and word in BY_WORD:
            return BY_WORD[word]
    if status is None:
        return StreamError
    if status == 400 and CONTEXT_SENTENCE.search(_own_words(error.body)):
        return ContextTooLong
    return BY_STATUS.get(status) or (ServerError if status >= 500 else RequestRefused)


def _sizes(error: APIError) -> tuple[int | None, int | None]:
    """(tokens sent, tokens that fit), from fields or from the sentence."""
    body: Mapping[str, Any] = error.body if isinstance(error.body, Mapping) else {}
    if "n_ctx" in body:
        return _number(body.get("n_prompt_tokens")), _number(body["n_ctx"])
    found = CONTEXT_SENTENCE.search(_own_words(body))
    return (_number(found[2]), _number(found[1])) if found else (None, None)


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()) else None


def _own_words(body: object) -> str:
    """The endpoint's message; nothing where it sent a web page."""
    if isinstance(body, Mapping):
        body = body.get("message") or body.get("detail")
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""


def sentence(says: str, words: str) -> str:
    """One line of at most MESSAGE_CHARACTERS, without the key, which some endpoints repeat."""
    text = f"{says}: {words}" if words.strip() else says.removesuffix(".") + "."
    if len(settings.MODEL_API_KEY) >= 8:
        text = text.replace(settings.MODEL_API_KEY, "***")
    return shorten(one_line(text), MESSAGE_CHARACTERS)


def shown_url(url: str) -> str:
    """`url` without its trailing slash, and without the user and password that may stand in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
