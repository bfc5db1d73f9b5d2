"""How an attempt ends whose code does not return by itself."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django import tasks

from tasks_app.exceptions import HandOver
from tasks_app.kinds.ordering import order_of
from tasks_app.kinds.perform import Terms, make_attempt
from tasks_app.lifecycle.submit import submit
from tasks_app.models import Attempt, Task
from tasks_app.work.context import Context
from tasks_app.work.interruption import Interruption
from tasks_app.work.soft_limit import soft_limit
from tests.support.rows import make_worker, start

# The soft limit's alarm is pytest-timeout's too.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(0)]
# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task

NOTED: list[str] = []


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    NOTED.clear()


@task(kind="perform.sleeps", queue_name="gpu", takes_context=True)
def sleeps(context: Context) -> None:
    context.step("first", str, 1)
    try:
        time.sleep(60)
    finally:
        NOTED.append("cleared up")


@task(kind="perform.awaits", queue_name="gpu", takes_context=True)
async def awaits(context: Context) -> None:
    try:
        await asyncio.sleep(60)
    finally:
        NOTED.append("cleared up")


@task(kind="perform.own_timeout", queue_name="gpu", takes_context=True)
async def own_timeout(context: Context) -> str:
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError:
        return "its own"
    return "none"


@task(kind="perform.patient", queue_name="gpu", takes_context=True)
def patient(context: Context) -> None:
    context.sleep(60)


@task(kind="perform.library", queue_name="gpu", takes_context=True, retry_on=(ConnectionError,))
def library(context: Context) -> None:
    raise ConnectionResetError("the library's own error")


def attempt_of(kind: Any, **terms: Any) -> tuple[Task, Attempt]:
    """One attempt in this thread; the row and how it ended."""
    row = submit(order_of(kind, owner_id=None, values={})).task
    claimed = start(row, make_worker("gpu"))
    make_attempt(claimed.ref, Terms(**({"limit_seconds": 300} | terms)))
    row.refresh_from_db()
    return row, Attempt.objects.get(task=row)


@pytest.mark.parametrize("kind", [sleeps, awaits])
def test_the_limit_raises_in_its_code_so_that_it_can_clear_up(kind: Any) -> None:
    began = time.monotonic()
    row, attempt = attempt_of(kind, limit_seconds=2, bounds=soft_limit)
    assert time.monotonic() - began < 30
    assert NOTED == ["cleared up"]
    assert (row.status, attempt.outcome) == ("pending", "timeout")
    # A new step stands after the one of them.
    assert attempt.spent == (kind is awaits)


def test_a_timeout_of_its_own_is_its_own_affair() -> None:
    row, attempt = attempt_of(own_timeout, bounds=soft_limit)
    assert (row.load(), attempt.outcome) == ("its own", "succeeded")


def test_a_sleep_ends_at_once_when_its_worker_leaves() -> None:
    interruption = Interruption()
    asking = threading.Timer(0.2, interruption.ask, [HandOver()])
    asking.start()
    began = time.monotonic()
    row, attempt = attempt_of(patient, interruption=interruption)
    asking.join()
    assert time.monotonic() - began < 30
    assert (row.status, attempt.outcome, attempt.spent) == ("pending", "handed_over", False)


def test_an_error_that_may_pass_by_what_its_kind_says_is_retried() -> None:
    row, attempt = attempt_of(library)
    assert (row.status, attempt.outcome, attempt.spent) == ("pending", "error", True)
    assert attempt.error_class.endswith("ConnectionResetError")
