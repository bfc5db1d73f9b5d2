"""Permits, as `complete` uses them: waited for before a call is written down, and given back when it has ended."""

import random
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from openai import APIConnectionError

from tasks_app.exceptions import LonghaulError, Postponed, Unavailable

from ..down import FailsForEveryone
from ..errors import AnswerTooSlow, CallTimeout, Nonsense, RateLimited, ServerError, StreamBroken, StreamError
from ..exchange import ModelAnswer, ModelRequest
from ..ledger import CallContext, CallPlan, OpenCall
from .limits import Limits, most_tokens
from .shared import Answer, Asked, Outcome, Verdict
from .throttle import Throttle, throttle

# What an endpoint that is down does to everybody, and a poisoned request to itself.
FAILURES = (Unavailable, ServerError, CallTimeout, StreamBroken, StreamError, Nonsense)
BUSY = "endpoint_busy"
# So that those who wait do not come back at the same instant.
spread = random.uniform


class Permit:
    """To send one call. Whoever has it says how the call ended; who says nothing has sent nothing that counts."""

    def __init__(self, throttle: Throttle, asked: Asked, answer: Answer) -> None:
        self._throttle = throttle
        self._asked = asked
        self._answer = answer
        self._outcome = Outcome.UNUSED
        self._is_back = False

    def use(self) -> None:
        """The call is about to be sent."""
        self._outcome = Outcome.NEUTRAL

    def answered(self, answer: ModelAnswer) -> None:
        # An endpoint that does not say what it cost has still counted it.
        self._leave(Outcome.ANSWERED, used=(answer.prompt_tokens + answer.completion_tokens) or -1)

    def failed(self, error: Exception) -> FailsForEveryone | None:
        """The error to raise instead, where the call failed because the endpoint fails for everyone."""
        if isinstance(error, RateLimited):
            self._leave(Outcome.REFUSED, retry_after=error.retry_after or 0.0, used=0)
            return None
        if not isinstance(error, FAILURES) or isinstance(error, AnswerTooSlow):
            # Refused for its content or its key, or cut while it answered: an endpoint that does so is well.
            self._leave(Outcome.ANSWERED if isinstance(error, LonghaulError) else Outcome.NEUTRAL)
            return None
        since = self._leave(Outcome.UNREACHED) if never_connected(error) else self._leave(Outcome.FAILED)
        return None if since is None else FailsForEveryone(since_seconds=since, last=str(error))

    def close(self) -> None:
        """Give it back, if that has not happened."""
        self._leave(self._outcome)

    def _leave(self, outcome: Outcome, *, retry_after: float = 0.0, used: int = -1) -> float | None:
        if self._is_back:
            return None
        self._is_back = True
        return self._throttle.leave(self._asked, self._answer, outcome, retry_after=retry_after, used=used)


@contextmanager
def permit[Call: OpenCall](context: CallContext[Call], request: ModelRequest, plan: CallPlan) -> Iterator[Permit]:
    """A permit for one call, given back at the end; it may stay unused where the ledger holds the answer.

    Raises FailsForEveryone, Postponed where the wait is too long for the attempt, and the reason of a stop.
    """
    found = _awaited(context, request, plan)
    try:
        yield found
    finally:
        found.close()


def _awaited[Call: OpenCall](context: CallContext[Call], request: ModelRequest, plan: CallPlan) -> Permit:
    mine = throttle(endpoint=plan.endpoint, model_name=plan.model_name)
    tokens = most_tokens(request) if Limits.set().tokens else 0
    asked = Asked(permit=uuid.uuid4().hex, holder=context.holder, request=plan.content_key, tokens=tokens)
    answer = mine.enter(asked, waited=0.0)
    if answer.verdict is not Verdict.GRANTED and not context.has_answer(plan):
        try:
            answer = _in_line(context, mine, asked, answer)
        except BaseException:
            mine.leave(asked, answer, Outcome.UNUSED)
            raise
    return Permit(mine, asked, answer)


def _in_line[Call: OpenCall](context: CallContext[Call], mine: Throttle, asked: Asked, answer: Answer) -> Answer:
    began, left = time.monotonic(), context.time_left()
    # A call that begins at the attempt's end would be cut off by it: better a new attempt than that.
    least = min(context.call_seconds, left / 2)
    while answer.verdict is not Verdict.GRANTED:
        if answer.verdict is Verdict.DOWN:
            raise FailsForEveryone(since_seconds=answer.fails_since)
        if context.time_left() - max(answer.wait, answer.ask_again) < least:
            raise _postponed(answer)
        context.rest(answer.ask_again * spread(0.9, 1.1))
        answer = mine.enter(asked, waited=time.monotonic() - began)
    return answer


def _postponed(answer: Answer) -> Postponed:
    seconds = max(2.0, answer.wait) * spread(1.0, 1.5)
    return Postponed("The model endpoint's limits leave no room for this task now.", code=BUSY, delay=seconds)


def never_connected(error: Exception) -> bool:
    """Whether not even a connection was made, which is no request's own fault."""
    cause = error.__cause__
    return isinstance(cause, APIConnectionError) and isinstance(
        cause.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout
    )
