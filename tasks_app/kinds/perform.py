"""One attempt, in this process: load, perform, classify, record."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from traceback import format_exception
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError, close_old_connections, connections

from tasks_app.exceptions import (
    AttemptTimeUp,
    CancelRequested,
    LonghaulError,
    NotOwner,
    Postponed,
    RetryableError,
    Unavailable,
)
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import AttemptRef, Outcome, Task
from tasks_app.text import clean
from tasks_app.work.context import Context
from tasks_app.work.coroutines import ungrouped
from tasks_app.work.files import SourceDocument, workspace
from tasks_app.work.persist import persist
from tasks_app.work.secrets import Secret, unseal
from tasks_app.work.values import as_json, stored

from . import registry

logger = logging.getLogger(__name__)


def perform(ref: AttemptRef, *, limit_seconds: float) -> None:
    """One attempt in a process that lives on: it leaves no connection open."""
    close_old_connections()
    try:
        make_attempt(ref, limit_seconds=limit_seconds)
    finally:
        connections.close_all()


def make_attempt(ref: AttemptRef, *, limit_seconds: float, new_context: Callable[..., Context] = Context) -> None:
    """Make the attempt and write its end. Returns too where the task turns out to be no longer its own."""
    try:
        with workspace(ref) as folder:
            _perform(ref, folder, limit_seconds=limit_seconds, new_context=new_context)
    except NotOwner:
        logger.info("task %s: this attempt no longer owns it, stopping", ref)


def _perform(ref: AttemptRef, folder: Path, *, limit_seconds: float, new_context: Callable[..., Context]) -> None:
    ends_at = time.monotonic() + limit_seconds
    held = Task.objects.held_by(ref).select_related("document")
    task = persist(held.first, time_left=lambda: ends_at - time.monotonic())
    if task is None:
        raise NotOwner(str(ref))
    context = new_context(task, workdir=folder, limit_seconds=limit_seconds)
    try:
        value = as_json(_call(context, task, folder))
        columns = stored(value, name=f"{ref.task_id}/result-{ref.number}")
        ending = Ending(outcome=Outcome.SUCCEEDED, value=columns, visited=context.visited)
    except NotOwner:
        raise
    except BaseException as error:
        ending = classify(error)
        _log(ref, ending, error)
    persist(lambda: end(ref, ending), time_left=context.time_left)


def _call(context: Context, task: Task, folder: Path) -> Any:
    kind = registry.find(task.kind)
    if kind is None:
        raise LonghaulError(f"This worker does not know the kind {task.kind!r}.")
    arguments = [context] if kind.takes_context else []
    keywords = dict(task.kwargs)
    secrets = unseal(task.secrets)
    keywords |= {name: secrets.get(name, Secret("")) for name in kind.secret_fields}
    if task.document is not None:
        keywords["document"] = SourceDocument(task.document, folder)
    with ungrouped():
        return kind.call(*arguments, *task.payload.get("args", []), **keywords)


def classify(error: BaseException) -> Ending:
    """The table from what ended an attempt to its ending."""
    text = clean(str(error))
    match error:
        case CancelRequested():
            return Ending(outcome=Outcome.CANCELLED)
        case AttemptTimeUp():
            return Ending(outcome=Outcome.TIMEOUT, code="timeout", text="The attempt's time was up.")
        case Postponed():
            delay = None if error.delay is None else timedelta(seconds=error.delay)
            return Ending(outcome=Outcome.WAITING, code=error.code, text=text, delay=delay)
        case Unavailable():
            return Ending(outcome=Outcome.WAITING, code=error.code, text=text)
        case RetryableError():
            return _error(error, error.code, text, retry=True)
        case OperationalError() | InterfaceError() | InternalError():
            return _error(error, "database_away", "The database could not be reached.", retry=True)
        case LonghaulError():
            return _error(error, error.code, text)
        case _:
            text = f"An unexpected error ({type(error).__name__}) ended it. Operators find it in the log by its id."
            return _error(error, "error", text)


def _error(error: BaseException, code: str, text: str, *, retry: bool = False) -> Ending:
    kind = type(error)
    return Ending(
        outcome=Outcome.ERROR,
        code=code,
        text=text,
        retry=retry,
        error_class=f"{kind.__module__}.{kind.__qualname__}",
        traceback=clean("".join(format_exception(error))),
    )


def _log(ref: AttemptRef, ending: Ending, error: BaseException) -> None:
    if isinstance(error, LonghaulError) or ending.outcome != Outcome.ERROR:
        logger.info("task %s: attempt ended as %s: %s", ref, ending.outcome, ending.text)
    else:
        logger.error("task %s: attempt ended by an unexpected error", ref, exc_info=error)
