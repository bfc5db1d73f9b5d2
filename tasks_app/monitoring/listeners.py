"""Who counts: receivers of the signals. Called on the road of every task, so each adds to a table and returns."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.conf import settings
from django.dispatch import Signal

from tasks_app import signals
from tasks_app.exceptions import LonghaulError
from tasks_app.models import FINAL, AttemptRef, CallOutcome, ErrorCode, FiringOutcome, ModelCall, Outcome

from . import catalogue, counters
from .catalogue import Kinds
from .counters import count, observe

OTHER = "other"
# A task without a failure has none.
ERROR_CODES = frozenset({"", *ErrorCode.values})

_known_kinds: Callable[[], Kinds] = frozenset
_call_outcomes: set[str] = set(CallOutcome.values)


def connect(known_kinds: Callable[[], Kinds]) -> None:
    """Count from now on; for AppConfig.ready. `known_kinds`: names, those of any other kind are bounded to "other"."""
    global _known_kinds
    _known_kinds = known_kinds
    for signal, receiver in RECEIVERS.items():
        signal.connect(receiver, dispatch_uid="monitoring")
    counters.flush_at_exit()


def known_kinds() -> Kinds:
    return _known_kinds()


def _kind(name: str) -> str:
    return name if name in _known_kinds() else OTHER


def _queue(name: str) -> str:
    return name if name in settings.TASK_QUEUES else OTHER


def _error_code(code: str) -> str:
    return code if code in ERROR_CODES else OTHER


def _call_outcome(code: str) -> str:
    """A code of our tree of errors; the endpoint's own are loaded only where it is called."""
    if code not in _call_outcomes:
        _call_outcomes.update(error.code for error in _all_of(LonghaulError))
    return code if code in _call_outcomes else OTHER


def _all_of(error: type[LonghaulError]) -> Iterator[type[LonghaulError]]:
    yield error
    for narrower in error.__subclasses__():
        yield from _all_of(narrower)


def _task_submitted(*, kind: str, queue: str, **_: Any) -> None:
    count(catalogue.SUBMITTED, _kind(kind), _queue(queue))


def _attempt_began(*, kind: str, queue: str, waited_seconds: float, **_: Any) -> None:
    observe(catalogue.WAIT, _kind(kind), _queue(queue), seconds=waited_seconds)


def _attempt_ended(
    *, task_id: UUID, number: int, kind: str, outcome: str, status: str, code: str, seconds: float, **_: Any
) -> None:
    kind = _kind(kind)
    observe(catalogue.ATTEMPT, kind, outcome, seconds=seconds)
    if status in FINAL:
        count(catalogue.FINISHED, kind, status, _error_code(code))
    # Whose attempt is over can no longer be closed. An attempt that succeeds has heard of all its calls.
    if outcome != Outcome.SUCCEEDED and (calls := ModelCall.objects.open_of(AttemptRef(task_id, number)).count()):
        count(catalogue.IN_DOUBT, kind, by=calls)


def _waiting_ended(*, kind: str, status: str, code: str, **_: Any) -> None:
    count(catalogue.FINISHED, _kind(kind), status, _error_code(code))


def _step_ended(*, kind: str, status: str, seconds: float, **_: Any) -> None:
    observe(catalogue.STEP, _kind(kind), status, seconds=seconds)


def _call_closed(*, kind: str, outcome: str, prompt_tokens: int, completion_tokens: int, **_: Any) -> None:
    kind = _kind(kind)
    count(catalogue.CALLS, kind, _call_outcome(outcome))
    if prompt_tokens or completion_tokens:
        count(catalogue.TOKENS, kind, "prompt", by=prompt_tokens)
        count(catalogue.TOKENS, kind, "completion", by=completion_tokens)


def _call_reused(*, kind: str, **_: Any) -> None:
    count(catalogue.REUSED, _kind(kind))


def _schedule_fired(*, outcome: str, late_seconds: float, **_: Any) -> None:
    count(catalogue.FIRINGS, outcome if outcome in FiringOutcome.values else OTHER)
    if outcome == FiringOutcome.FIRED:
        observe(catalogue.LATENESS, seconds=late_seconds)


def _socket_opened(**_: Any) -> None:
    counters.count_sockets(1)


def _socket_closed(**_: Any) -> None:
    counters.count_sockets(-1)


RECEIVERS: dict[Signal, Callable[..., None]] = {
    signals.task_submitted: _task_submitted,
    signals.attempt_began: _attempt_began,
    signals.attempt_ended: _attempt_ended,
    signals.waiting_ended: _waiting_ended,
    signals.step_ended: _step_ended,
    signals.call_closed: _call_closed,
    signals.call_reused: _call_reused,
    signals.schedule_fired: _schedule_fired,
    signals.socket_opened: _socket_opened,
    signals.socket_closed: _socket_closed,
}
