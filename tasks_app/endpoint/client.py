"""The only place that sends a model call."""

from functools import lru_cache
from typing import cast

import httpx2
from django.conf import settings
from openai import APIConnectionError, OpenAI, Stream
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from tasks_app.exceptions import AttemptTimeUp, LonghaulError

from .errors import AnswerTooSlow, CallTimeout, before_answer, shown_url, within_answer
from .exchange import ModelAnswer, ModelRequest, content_key
from .guard import CallGuard, WatchedBackend, attach
from .ledger import CallContext, CallPlan, OpenCall
from .stream import Draft
from .throttle.permits import Permit, permit

# An endpoint that takes no connection in this time counts as away, not as slow.
CONNECT_SECONDS = 10


def complete[Call: OpenCall](context: CallContext[Call], request: ModelRequest) -> ModelAnswer:
    """The endpoint's answer, from the ledger where it already stands there.

    It waits until the endpoint's limits have room for it, and only then is it written down: the ledger holds what was
    sent.

    Raises the errors of `endpoint.errors`, `Unavailable`, `AttemptTimeUp` when the attempt's time ends before the
    call's own limit, `Postponed` when the wait is too long for the attempt, and the reason of a stop. A call that ends
    with anything but an Exception stays open in the ledger: in doubt.
    """
    if context.time_left() <= 0:
        raise _time_up()
    endpoint, model_name = shown_url(settings.MODEL_BASE_URL), settings.MODEL_NAME
    key = content_key(request, endpoint=endpoint, model_name=model_name)
    plan = CallPlan(content_key=key, endpoint=endpoint, model_name=model_name)
    with permit(context, request, plan) as mine:
        call = context.open_call(plan)
        if call.saved is not None:
            return call.saved
        answer = _sent(context, request, call, mine)
    context.close_call(call, outcome="answered", answer=answer)
    return answer


def _sent[Call: OpenCall](context: CallContext[Call], request: ModelRequest, call: Call, permit: Permit) -> ModelAnswer:
    permit.use()
    try:
        answer = _send(context, request, idempotency_key=call.idempotency_key)
    except Exception as error:
        for_everyone = permit.failed(error)
        context.close_call(call, outcome=error.code if isinstance(error, LonghaulError) else LonghaulError.code)
        if for_everyone is not None:
            raise for_everyone from error
        raise
    permit.answered(answer)
    return answer


def _send[Call: OpenCall](context: CallContext[Call], request: ModelRequest, *, idempotency_key: str) -> ModelAnswer:
    limit, time_left = context.call_seconds, context.time_left()
    guard, draft = CallGuard(), Draft()
    reason = CallTimeout(limit) if limit <= time_left else _time_up()
    bounds = guard.limit(max(0.0, min(limit, time_left)), reason)
    with guard.on_duty(), bounds, context.in_flight(guard):
        try:
            with _begin(request, idempotency_key) as stream:
                return _read(stream, draft)
        except Exception as error:
            # Whatever a connection that was shut down looks like from the inside, the guard knows why.
            if isinstance(guard.reason, CallTimeout) and draft.has_text:
                raise AnswerTooSlow(limit) from error
            if guard.reason:
                raise guard.reason from error
            raise


def _begin(request: ModelRequest, idempotency_key: str) -> Stream[ChatCompletionChunk]:
    try:
        return _client(settings.MODEL_BASE_URL, settings.MODEL_API_KEY).chat.completions.create(
            model=settings.MODEL_NAME,
            messages=cast("list[ChatCompletionMessageParam]", list(request.messages)),
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            stream=True,
            stream_options={"include_usage": True},
            extra_headers={"Idempotency-Key": idempotency_key},
        )
    except Exception as error:
        raise before_answer(error) from error


def _read(stream: Stream[ChatCompletionChunk], draft: Draft) -> ModelAnswer:
    try:
        for chunk in stream:
            draft.add(chunk)
    except Exception as error:
        # Once the endpoint has said that it finished, the answer is whole and paid for: what breaks then is no loss.
        if not (draft.finish_reason and isinstance(error, APIConnectionError)):
            raise within_answer(error) from error
    return draft.answer()


@lru_cache(maxsize=1)
def _client(base_url: str, api_key: str) -> OpenAI:
    """The one client of this process; threads share it.

    Each call has a connection of its own: the guard sees a connection only when it is made, and one that was kept
    may turn out to be dead when the call is sent.
    """
    http_client = httpx2.Client(
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        event_hooks={"request": [attach]},
    )
    # The library has no other way to bring one.
    http_client._transport._pool._network_backend = WatchedBackend()  # type: ignore[attr-defined]
    # The SDK's own retries would be payments that the ledger does not know.
    return OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0, http_client=http_client)


def _time_up() -> AttemptTimeUp:
    return AttemptTimeUp("The attempt's time ended before the model endpoint had answered.")
