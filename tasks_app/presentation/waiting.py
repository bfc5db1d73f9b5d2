"""Why a task waits, as a code and a sentence."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from tasks_app.exceptions import Unavailable
from tasks_app.models import Attempt, Outcome, QueueState, Status, Task
from tasks_app.text import one_line, shorten

from .lines import MOST_AHEAD
from .pace import Range, eta_seconds, in_words, range_of
from .times import clock
from .waiting_facts import Slots, WaitingFacts

REASON_CHARACTERS = 300
# Outcomes after which a pending task has its next attempt's time to wait for.
FAILED_ATTEMPT = (Outcome.ERROR, Outcome.TIMEOUT, Outcome.MEMORY)


@dataclass(frozen=True, slots=True)
class Wait:
    """`ahead`: how many tasks go first; None where that is no matter of turns. `span`: until it starts, if known."""

    reason: str
    text: str
    ahead: int | None = None
    span: Range | None = None


def waiting_object(task: Task, facts: WaitingFacts) -> dict[str, Any]:
    """{reason, text, ahead, eta_seconds} of a task that is pending or queued.

    | reason | the task waits for |
    |---|---|
    | paused | an operator, who paused its queue or its kind |
    | endpoint | the model endpoint, which is away or asked for a wait |
    | retry | its next attempt, after one that failed |
    | not_yet | the time that its user set |
    | no_worker | a worker of its queue |
    | unknown_kind | a worker that knows its kind |
    | slot | one of its user's slots; `ahead`: of the user's own tasks |
    | queue | its turn in its queue; `ahead` is a number once it is queued |
    """
    wait = _wait(task, facts)
    text = f"{wait.text} {in_words(wait.span)}" if wait.span else wait.text
    eta = eta_seconds(wait.span) if wait.span else None
    return {"reason": wait.reason, "text": text, "ahead": wait.ahead, "eta_seconds": eta}


def _wait(task: Task, facts: WaitingFacts) -> Wait:
    if pause := facts.pause_of(task):
        return Wait("paused", _paused_text(pause))
    if task.status == Status.PENDING and task.available_at > facts.now:
        return Wait(*_later(task, facts))
    kinds = facts.service.get(task.queue)
    if kinds is None:
        return Wait("no_worker", _no_worker_text(task.queue, facts))
    if task.kind not in kinds:
        return Wait("unknown_kind", _unknown_text(task))
    if task.status == Status.QUEUED:
        return _in_line(task, facts)
    slots = facts.slots_of(task)
    return _for_slot(task, slots, facts) if slots else Wait("queue", "Waits to be put in line.")


def _in_line(task: Task, facts: WaitingFacts) -> Wait:
    ahead = facts.queues[task.queue].ahead(task.pk)
    if ahead >= MOST_AHEAD:
        return Wait("queue", f"More than {MOST_AHEAD - 1} tasks ahead of it.", ahead)
    text = "Next in line." if ahead == 0 else f"{_tasks(ahead)} ahead of it."
    return Wait("queue", text, ahead, range_of(facts.pace_of_queue(task.queue), least=ahead + 1, most=ahead + 1))


def _for_slot(task: Task, slots: Slots, facts: WaitingFacts) -> Wait:
    if not slots.active:
        return Wait("slot", "You may have no task at work. Ask an operator for a slot.")
    text = f"Waits for one of your {slots.active} slots" if slots.active > 1 else "Waits for your one slot"
    line = facts.owners[slots.owner_id]
    ahead = line.ahead(task.pk)
    if ahead >= MOST_AHEAD:
        return Wait("slot", f"{text}; more than {MOST_AHEAD - 1} of your tasks go first.", ahead)
    first = f"; {ahead} of your tasks go{'' if ahead > 1 else 'es'} first." if ahead else "."
    # It has its slot when so many have ended, and is last in line then: of its user's own tasks the others go first.
    span = range_of(facts.pace_of_owner(slots.owner_id), least=ahead + 1, most=ahead + slots.active)
    return Wait("slot", f"{text}{first}", ahead, span)


def _paused_text(pause: QueueState) -> str:
    what = "Queue" if pause.queue else "This kind of task is"
    who = f" by {one_line(pause.paused_by.get_username())}" if pause.paused_by else ""
    why = shorten(one_line(pause.reason), REASON_CHARACTERS).rstrip(".")
    return f"{what} paused{who}{f': {why}' if why else ''}."


def _no_worker_text(queue: str, facts: WaitingFacts) -> str:
    until = facts.served_until.get(queue)
    if until is None:
        return f"No worker for {queue} is ready."
    return f"No worker for {queue} since {clock(until, now=facts.now)}."


def _later(task: Task, facts: WaitingFacts) -> tuple[str, str]:
    # The page finds "at <time> UTC" and "since <time> UTC" in a text and says it in local time (static/web/words.js).
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


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
