"""Why a task waits, as a code and a sentence."""

from typing import Any

from django.conf import settings

from tasks_app.exceptions import Unavailable
from tasks_app.models import Attempt, Outcome, Status, Task
from tasks_app.text import one_line, shorten

from .facts import WaitingFacts
from .times import clock

REASON_CHARACTERS = 300
# Outcomes after which a pending task has its next attempt's time to wait for.
FAILED_ATTEMPT = (Outcome.ERROR, Outcome.TIMEOUT, Outcome.MEMORY)


def waiting_object(task: Task, facts: WaitingFacts) -> dict[str, Any]:
    """{reason, text, ahead, eta_seconds} of a task that is pending or queued.

    | reason | the task waits for |
    |---|---|
    | endpoint | the model endpoint, which is away or asked for a wait |
    | retry | its next attempt, after one that failed |
    | not_yet | the time that its user set |
    | no_worker | a worker of its queue |
    | unknown_kind | a worker that knows its kind |
    | slot | one of its user's slots |
    | queue | its turn in its queue; `ahead` is a number once it is queued |
    """
    reason, text = _reason(task, facts)
    ahead = facts.ahead.get(task.pk) if reason == "queue" else None
    return {"reason": reason, "text": text, "ahead": ahead, "eta_seconds": None}


def _reason(task: Task, facts: WaitingFacts) -> tuple[str, str]:
    if task.status == Status.PENDING and task.available_at > facts.now:
        return _later(task, facts)
    kinds = facts.service.get(task.queue)
    if kinds is None:
        return "no_worker", f"No worker for {task.queue} is ready."
    if task.kind not in kinds:
        return "unknown_kind", _unknown_text(task)
    if task.status == Status.PENDING and (slots := facts.slots_full(task.owner_id)):
        return "slot", f"Waits for one of your {slots} slots." if slots > 1 else "Waits for your one slot."
    return "queue", _queue_text(facts.ahead.get(task.pk))


def _later(task: Task, facts: WaitingFacts) -> tuple[str, str]:
    # The page finds "at <time> UTC" in the text and says it in local time (static/web/words.js).
    at = clock(task.available_at, now=facts.now)
    last = facts.last.get(task.pk)
    if last is None:
        return "not_yet", f"Starts at {at} or later."
    if last.outcome == Outcome.WAITING:
        return "endpoint", f"{_endpoint_text(last)} Tries again at {at}."
    if last.outcome in FAILED_ATTEMPT and last.error_text:
        return "retry", f"Tries again at {at}: {_error_text(last)}"
    return "retry", f"Tries again at {at}."


def _endpoint_text(last: Attempt) -> str:
    if last.error_code in ("", Unavailable.code):
        return "The model endpoint cannot be reached."
    return _error_text(last)


def _error_text(last: Attempt) -> str:
    return shorten(one_line(last.error_text), REASON_CHARACTERS)


def _unknown_text(task: Task) -> str:
    minutes = max(1, round(settings.LONGHAUL_UNKNOWN_KIND_SECONDS / 60))
    span = "a minute" if minutes == 1 else f"{minutes} minutes"
    return f"No running worker knows this kind of task ({task.kind}). It fails when none comes for {span}."


def _queue_text(ahead: int | None) -> str:
    if ahead is None:
        return "Waits to be put in line."
    if ahead == 0:
        return "Next in line."
    return f"{ahead} tasks ahead of it." if ahead > 1 else "1 task ahead of it."
