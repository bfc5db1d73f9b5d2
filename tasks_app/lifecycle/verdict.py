"""The table that turns the end of an attempt into the next state of its task. It reads; it writes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from tasks_app.models import Attempt, ErrorCode, Outcome, Status, StepResult, Task

from . import backoff
from .ending import Ending
from .useful import useful_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    outcome: Outcome
    status: Status
    code: str = ""
    text: str = ""
    spent: bool = False
    delay: timedelta = timedelta(0)


def decide(task: Task, ending: Ending, now: datetime) -> Verdict:
    """Cancel first, then the deadline, then the attempt's own outcome. `task`: locked; `now`: the database's."""
    if task.cancel_requested_at is not None:
        return Verdict(outcome=Outcome.CANCELLED, status=Status.CANCELLED)
    if task.deadline_at is not None and task.deadline_at <= now:
        return _past_deadline(task, ending)
    return RULES[ending.outcome](task, ending, now)


def _past_deadline(task: Task, ending: Ending) -> Verdict:
    seconds = int(task.deadline_after.total_seconds())
    text = f"The task was not done within its deadline of {seconds} s."
    if ending.text:
        text = f"{text} Last: {ending.text}"
    return Verdict(outcome=Outcome.DEADLINE, status=Status.FAILED, code=ErrorCode.DEADLINE_EXCEEDED, text=text)


def _succeeded(task: Task, ending: Ending, _now: datetime) -> Verdict:
    items = StepResult.objects.filter(task=task, index__lt=ending.visited).items()
    first = items.failed().first()
    if first is not None and not items.succeeded().exists():
        text = f"None of the {items.count()} parts succeeded. First: {first.error_text}"
        return Verdict(outcome=Outcome.ERROR, status=Status.FAILED, code=ErrorCode.ERROR, text=text)
    return Verdict(outcome=Outcome.SUCCEEDED, status=Status.SUCCEEDED)


def _error(task: Task, ending: Ending, now: datetime) -> Verdict:
    if not ending.retry:
        code = ErrorCode(ending.code) if ending.code in ErrorCode.values else ErrorCode.ERROR
        return Verdict(outcome=Outcome.ERROR, status=Status.FAILED, code=code, text=ending.text, spent=True)
    return _spend(task, ending, now, exhausted=ErrorCode.ATTEMPTS_EXHAUSTED)


def _memory(task: Task, ending: Ending, now: datetime) -> Verdict:
    return _spend(task, ending, now, exhausted=ErrorCode.MEMORY_EXCEEDED)


def _timeout(task: Task, ending: Ending, now: datetime) -> Verdict:
    """Free when new steps stand: a healthy long task passes through several attempts."""
    if _is_as_good_as_past_deadline(task, now):
        return _past_deadline(task, ending)
    if StepResult.objects.filter(task=task, attempt=task.attempt).exists():
        return Verdict(outcome=Outcome.TIMEOUT, status=Status.PENDING)
    return _spend(task, ending, now, exhausted=ErrorCode.ATTEMPTS_EXHAUSTED)


def _is_as_good_as_past_deadline(task: Task, now: datetime) -> bool:
    """What is left is too little for another attempt to begin anything: it would only be spent."""
    useful = timedelta(seconds=useful_seconds(task.deadline_after.total_seconds()))
    return task.deadline_at is not None and task.deadline_at - now <= useful


def _spend(task: Task, ending: Ending, now: datetime, *, exhausted: ErrorCode) -> Verdict:
    spent = Attempt.objects.filter(task=task).spent().count() + 1
    if spent >= task.max_attempts:
        text = f"All {task.max_attempts} attempts were spent. Last: {ending.text}"
        return Verdict(outcome=ending.outcome, status=Status.FAILED, code=exhausted, text=text, spent=True)
    wait = ending.delay if ending.delay is not None else backoff.delay(spent)
    return _later(task, ending, now, wait, spent=True)


def _lost(task: Task, ending: Ending, _now: datetime) -> Verdict:
    lost = Attempt.objects.filter(task=task).lost().count() + 1
    if lost >= settings.LONGHAUL_MAX_LOST_ATTEMPTS:
        text = f"Its worker process died {lost} times while it worked on this task. Last: {ending.text}"
        return Verdict(outcome=Outcome.LOST, status=Status.FAILED, code=ErrorCode.INTERRUPTIONS_EXHAUSTED, text=text)
    return Verdict(outcome=Outcome.LOST, status=Status.PENDING)


def _waiting(task: Task, ending: Ending, now: datetime) -> Verdict:
    waited = Attempt.objects.filter(task=task, outcome=Outcome.WAITING).counted().count() + 1
    return _later(task, ending, now, ending.delay if ending.delay is not None else backoff.delay(waited))


def _handed_over(_task: Task, _ending: Ending, _now: datetime) -> Verdict:
    return Verdict(outcome=Outcome.HANDED_OVER, status=Status.PENDING)


def _later(task: Task, ending: Ending, now: datetime, wait: timedelta, *, spent: bool = False) -> Verdict:
    # A wait that ends past the deadline cannot help: say so now.
    if task.deadline_at is not None and wait >= task.deadline_at - now:
        return _past_deadline(task, ending)
    return Verdict(outcome=ending.outcome, status=Status.PENDING, spent=spent, delay=wait)


RULES: dict[Outcome, Callable[[Task, Ending, datetime], Verdict]] = {
    Outcome.SUCCEEDED: _succeeded,
    Outcome.ERROR: _error,
    Outcome.MEMORY: _memory,
    Outcome.TIMEOUT: _timeout,
    Outcome.LOST: _lost,
    Outcome.WAITING: _waiting,
    Outcome.HANDED_OVER: _handed_over,
    # The row says neither, so whoever believed it was wrong: the task goes on.
    Outcome.CANCELLED: _handed_over,
    Outcome.DEADLINE: _handed_over,
}
