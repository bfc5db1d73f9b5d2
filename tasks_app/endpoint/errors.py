"""The error table: from what happened at the model endpoint to an error that says what to do about it.

Retryable errors may be tried again, after `retry_after` seconds where the endpoint asked for a wait. Permanent
errors concern this one request, Misconfigured ones every request. `Unavailable` means that nobody can be served.
"""

from typing import ClassVar
from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from openai import APIConnectionError, APIError

from tasks_app.exceptions import LonghaulError, Misconfigured, PermanentError, RetryableError, Unavailable
from tasks_app.text import one_line, shorten, without

from .report import Report

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


class AnswerTooSlow(CallTimeout):
    """It was on its way: whoever sends it is there, and the request asks for more than fits."""


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


# The table, in the order in which it is read: the endpoint's own word (its `code` or `type`), what it says of a text
# that is too long, what it asks for in `x-should-retry`, and only then the status.
BY_WORD: dict[str, type[Reported]] = {
    "context_length_exceeded": ContextTooLong,
    "exceed_context_size_error": ContextTooLong,
    "content_filter": ContentFiltered,
    "content_policy_violation": ContentFiltered,
    # With status 429 at most endpoints, and yet no wait helps.
    "billing_error": QuotaSpent,
    "billing_hard_limit_reached": QuotaSpent,
    "billing_not_active": QuotaSpent,
    "credit_balance_exhausted": QuotaSpent,
    "exceeded_current_quota_error": QuotaSpent,
    "insufficient_credits": QuotaSpent,
    "insufficient_quota": QuotaSpent,
    "organization_spend_limit_exceeded": QuotaSpent,
    "organization_usage_limit_exceeded": QuotaSpent,
    "project_spend_limit_exceeded": QuotaSpent,
    "access_terminated_error": EndpointRefused,
    "account_deactivated": EndpointRefused,
    "invalid_api_key": EndpointRefused,
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
    report = Report.of(error)
    kind = _kind(report)
    message = sentence(f"{kind.says} (HTTP {report.status})" if report.status else kind.says, report.message)
    if issubclass(kind, RetryableError):
        return kind(message, retry_after=report.retry_after)
    if issubclass(kind, ContextTooLong):
        prompt_tokens, context_tokens = report.sizes()
        return kind(message, prompt_tokens=prompt_tokens, context_tokens=context_tokens)
    return kind(message)


def _kind(report: Report) -> type[Reported]:
    for word in report.words:
        if word in BY_WORD:
            return BY_WORD[word]
    if report.says_too_long:
        return ContextTooLong
    kind = _by_status(report.status)
    if report.should_retry is None or report.should_retry == issubclass(kind, RetryableError):
        return kind
    return ServerError if report.should_retry else RequestRefused


def _by_status(status: int | None) -> type[Reported]:
    if status is None:
        return StreamError
    return BY_STATUS.get(status) or (ServerError if status >= 500 else RequestRefused)


def sentence(says: str, words: str) -> str:
    """One line of at most MESSAGE_CHARACTERS, without the key, which some endpoints repeat."""
    text = f"{says}: {words}" if words.strip() else says.removesuffix(".") + "."
    return shorten(one_line(without(settings.MODEL_API_KEY, text)), MESSAGE_CHARACTERS)


def shown_url(url: str) -> str:
    """`url` without its trailing slash, and without the user and password that may stand in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
