"""Whether the model endpoint answers, asked without a model call: who looks every few minutes pays nothing for it.

Not by the SDK, which is slow to import and large to keep.
"""

from dataclasses import dataclass

import httpx2
from django.conf import settings

from tasks_app.text import one_line, shorten, without

CONNECT_SECONDS = 10
ANSWER_SECONDS = 10
REASON_CHARACTERS = 200
# An endpoint need not list its models; that it says so shows that it is there.
NO_LIST = (httpx2.codes.NOT_FOUND, httpx2.codes.METHOD_NOT_ALLOWED)
REFUSED = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Health:
    """`text`: what was found, in a sentence."""

    answers: bool
    text: str


def check() -> Health:
    """Ask the endpoint for the list of its models; its length does not matter, so it is not read."""
    where = _shown(settings.MODEL_BASE_URL)
    address = f"{settings.MODEL_BASE_URL.rstrip('/')}/models"
    key = {"Authorization": f"Bearer {settings.MODEL_API_KEY}"}
    timeout = httpx2.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    try:
        with httpx2.Client(timeout=timeout) as client, client.stream("GET", address, headers=key) as answer:
            return _judged(where, answer.status_code)
    except httpx2.TimeoutException:
        return Health(False, f"The model endpoint at {where} did not answer within {ANSWER_SECONDS} seconds.")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = shorten(one_line(without(settings.MODEL_API_KEY, str(error))), REASON_CHARACTERS)
        reason = reason or type(error).__name__
        return Health(False, f"The model endpoint at {where} cannot be reached: {reason}.")


def _judged(where: str, status: int) -> Health:
    if status in REFUSED:
        return Health(False, f"The model endpoint at {where} refuses our key (HTTP {status}): check MODEL_API_KEY.")
    if httpx2.codes.is_success(status) or status in NO_LIST:
        return Health(True, f"The model endpoint at {where} answers.")
    return Health(False, f"The model endpoint at {where} answers with HTTP {status}; expected 200.")


def _shown(url: str) -> str:
    """The address without an account that may stand in it, and without a query."""
    parts = httpx2.URL(url)
    return f"{parts.scheme}://{parts.netloc.decode()}{parts.path}"
