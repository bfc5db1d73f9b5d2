"""Counts the tokens of a text as the endpoint does, where it can be asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx2
from django.conf import settings

from tasks_app.exceptions import Misconfigured, RetryableError, Unavailable

from .errors import shown_url

CONNECT_SECONDS = 10
# The embedded model counts while it answers others: slow is not gone.
ANSWER_SECONDS = 60


class CannotCount(RetryableError):
    code = "cannot_count"

    def __init__(self, reason: str) -> None:
        where = shown_url(settings.MODEL_TOKENIZE_URL)
        super().__init__(f"The endpoint at {where} was asked to count tokens and did not: {reason}.")


class CountingRefused(Misconfigured):
    code = "counting_refused"

    def __init__(self, status: int) -> None:
        where = shown_url(settings.MODEL_TOKENIZE_URL)
        super().__init__(f"The endpoint at {where} does not count tokens (HTTP {status}): check MODEL_TOKENIZE_URL.")


@contextmanager
def token_counter(otherwise: Callable[[str], int]) -> Iterator[Callable[[str], int]]:
    """A function from a text to its tokens: the endpoint's own count, or `otherwise` where none is configured.

    The function raises Unavailable, CannotCount and CountingRefused.
    """
    if not settings.MODEL_TOKENIZE_URL:
        yield otherwise
        return
    timeout = httpx2.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    with httpx2.Client(timeout=timeout) as client:
        yield lambda text: _count(client, text)


def _count(client: httpx2.Client, text: str) -> int:
    where = shown_url(settings.MODEL_TOKENIZE_URL)
    try:
        answer = client.post(settings.MODEL_TOKENIZE_URL, json={"content": text})
        if answer.status_code == httpx2.codes.SERVICE_UNAVAILABLE:
            # So llama.cpp answers everybody while it loads its model.
            raise Unavailable(f"The endpoint at {where} is not ready yet.")
        if answer.is_client_error:
            raise CountingRefused(answer.status_code)
        return len(answer.raise_for_status().json()["tokens"])
    except httpx2.ConnectError as error:
        raise Unavailable(f"The endpoint at {where} cannot be reached.") from error
    except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
        raise CannotCount(str(error) or type(error).__name__) from error
