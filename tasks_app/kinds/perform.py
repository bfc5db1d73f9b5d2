"""One attempt, in this process: load, perform, classify, record."""

import asyncio
import inspect
import logging
import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.tasks.signals import task_started

from tasks_app.exceptions import AttemptTimeUp, LonghaulError, NotOwner
from tasks_app.lifecycle.connection import close_unsound, left_transaction
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.rows import held_task
from tasks_app.models import AttemptRef, Outcome, Task
from tasks_app.work.context import Context
from tasks_app.work.coroutines import ungrouped
from tasks_app.work.files import SourceDocument, workspace
from tasks_app.work.interruption import Interruption
from tasks_app.work.persist import persist
from tasks_app.work.secrets import Secret, unseal
from tasks_app.work.soft_limit import soft_limit
from tasks_app.work.values import as_json, stored

from . import registry
from .backend import backend_of, tell
from .classify import classify
from .task import LonghaulTask

logger = logging.getLogger(__name__)

# A coroutine is cancelled at its limit. What does not end by that gets the exception of other code this much later.
ASYNC_GRACE_SECONDS = 1.0


def for_ever() -> float:
    """Whoever watches ends a wait for the database, and knows better what to write then."""
    return math.inf


class LeftTransaction(LonghaulError):
    """What it wrote there is undone, so that it did not succeed."""

    code = "left_transaction"

    def __init__(self) -> None:
        super().__init__("The kind returned with a transaction open, which was rolled back; expected it to be closed.")


def no_bounds(_seconds: float, _interruption: Interruption) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an attempt is made under. `bounds`: what raises in the kind's code when the limit is over."""

    limit_seconds: float
    interruption: Interruption = field(default_factory=Interruption)
    bounds: Callable[[float, Interruption], AbstractContextManager[None]] = no_bounds
    new_context: Callable[..., Context] = Context


def perform(ref: AttemptRef, *, limit_seconds: float, interruption: Interruption) -> None:
    """One attempt in the main thread of a process that lives on, as does its connection, where that is sound."""
    try:
        make_attempt(ref, Terms(limit_seconds=limit_seconds, interruption=interruption, bounds=soft_limit))
    finally:
        close_unsound()


def make_attempt(ref: AttemptRef, terms: Terms) -> None:
    """Make the attempt and write its end. Returns too where the task turns out to be no longer its own."""
    try:
        with workspace(ref) as folder:
            _perform(ref, folder, terms)
    except NotOwner:
        logger.info("task %s: this attempt no longer owns it, stopping", ref)


def _perform(ref: AttemptRef, folder: Path, terms: Terms) -> None:
    # Its worker counts from here too: what the row takes to come is part of the attempt.
    began = time.monotonic()
    task = persist(lambda: held_task(ref), time_left=for_ever)
    if task is None:
        raise NotOwner(str(ref))
    kind = registry.find(task.kind)
    retry_on = kind.retry_on if kind else ()
    context = terms.new_context(
        task,
        workdir=folder,
        limit_seconds=max(0.0, terms.limit_seconds - (time.monotonic() - began)),
        interruption=terms.interruption,
        retry_on=retry_on,
    )
    if kind is not None and task_started.has_listeners():
        tell(task_started, persist(lambda: backend_of(kind).result_of(task, kind), time_left=for_ever))
    try:
        value = as_json(_call(context, task, kind, terms))
        if left_transaction():
            raise LeftTransaction
        columns = stored(value, name=f"{ref.task_id}/result-{ref.number}")
        ending = Ending(outcome=Outcome.SUCCEEDED, value=columns, visited=context.visited)
    except NotOwner:
        raise
    except BaseException as error:
        left_transaction()
        ending = classify(error, retry_on=retry_on)
        _log_unexpected(ref, ending, error)
    status = persist(lambda: end(ref, ending), time_left=for_ever)
    why = f": {ending.text}" if ending.text else ""
    logger.info("task %s: attempt ended as %s, the task is %s%s", ref, ending.outcome, status, why)


def _call(context: Context, task: Task, kind: LonghaulTask | None, terms: Terms) -> Any:
    if kind is None:
        raise LonghaulError(f"This worker does not know the kind {task.kind!r}.")
    arguments = [context] if kind.takes_context else []
    keywords = dict(task.kwargs)
    secrets = unseal(task.secrets)
    keywords |= {name: secrets.get(name, Secret("")) for name in kind.secret_fields}
    if task.document is not None:
        keywords["document"] = SourceDocument(task.document, context.workdir)
    is_async = inspect.iscoroutinefunction(kind.func)
    function = async_to_sync(_in_time(kind.func, context)) if is_async else kind.func
    seconds = context.time_left() + (ASYNC_GRACE_SECONDS if is_async else 0)
    with ungrouped(), terms.bounds(seconds, context.interruption):
        return function(*arguments, *task.payload.get("args", []), **keywords)


def _in_time(function: Callable[..., Any], context: Context) -> Callable[..., Any]:
    """The coroutine function, cancelled at the attempt's limit."""

    async def bounded(*arguments: Any, **keywords: Any) -> Any:
        limit = asyncio.timeout(context.time_left())
        try:
            async with limit:
                return await function(*arguments, **keywords)
        except TimeoutError as error:
            if limit.expired():
                # Torn out of its work, as by the alarm: this process makes no other attempt.
                context.interruption.reason = context.interruption.reason or AttemptTimeUp()
                raise AttemptTimeUp from error
            raise

    return bounded


def _log_unexpected(ref: AttemptRef, ending: Ending, error: BaseException) -> None:
    if not isinstance(error, LonghaulError) and ending.outcome == Outcome.ERROR:
        logger.error("task %s: attempt ended by an unexpected error", ref, exc_info=error)
