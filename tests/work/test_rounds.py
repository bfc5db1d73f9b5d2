"""Sixty-four items that finish at the same moment, and what comes after them: once, in every round (C24)."""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django import tasks

from tasks_app.exceptions import PermanentError
from tasks_app.models import Task
from tasks_app.testing import perform_task
from tasks_app.work.context import Context
from tasks_app.work.steps import Item

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task

ITEMS = range(1, 65)
LANES = 8
ROUNDS = 10
EXECUTED: Counter[Any] = Counter()
EACH_ONCE: Counter[Any] = Counter([*ITEMS, "merge"])
TOGETHER = threading.Barrier(LANES)


@pytest.fixture(autouse=True)
def _nothing_yet() -> None:
    EXECUTED.clear()
    TOGETHER.reset()


@task(kind="test.rounds", queue_name="gpu", takes_context=True)
def rounds(context: Context, *, fails: int = 0, together: bool = True) -> dict[str, Any]:
    def work(number: int) -> int:
        EXECUTED[number] += 1
        if together:
            # Where a lane is missing, the others go on without it.
            with suppress(threading.BrokenBarrierError):
                TOGETHER.wait(timeout=5)
        if number == fails:
            raise PermanentError(f"Item {number} cannot be done.")
        return number

    items = context.map("item", work, ITEMS, concurrency=LANES, failures="collect")
    merged: dict[str, Any] = context.step("merge", merge, [[item.value, item.error_text] for item in items])
    return merged


def merge(items: list[list[Any]]) -> dict[str, Any]:
    EXECUTED["merge"] += 1
    found = [Item(0, value, "failed" if text else "", text) for value, text in items]
    return {
        "sum": sum(item.value for item in found if not item.failed),
        "missing": [item.error_text for item in found if item.failed],
    }


def performed(**arguments: Any) -> Task:
    EXECUTED.clear()
    return perform_task(rounds, **arguments)


def test_there_is_one_merge_in_every_round(transactional_db: None) -> None:
    for _ in range(ROUNDS):
        row = performed()
        assert (row.status, row.load()) == ("succeeded", {"sum": sum(ITEMS), "missing": []})
        assert EXECUTED == EACH_ONCE
        assert (row.progress_done, row.progress_total, row.failed_items) == (64, 64, 0)


def test_an_item_that_fails_for_good_is_named_in_the_one_merge(transactional_db: None) -> None:
    row = performed(fails=64)
    assert (row.status, row.progress_done, row.failed_items) == ("succeeded", 63, 1)
    assert row.load() == {"sum": sum(ITEMS) - 64, "missing": ["Item 64 cannot be done."]}
    assert EXECUTED == EACH_ONCE


@pytest.mark.parametrize("kept", [56, 63])
def test_a_worker_that_is_lost_before_the_last_item_leads_to_one_merge(transactional_db: None, kept: int) -> None:
    row = performed(dies_after=kept, together=False)
    assert (row.status, row.load()) == ("succeeded", {"sum": sum(ITEMS), "missing": []})
    assert [attempt.outcome for attempt in row.attempts.order_by("number")] == ["lost", "succeeded"]
    assert EXECUTED == EACH_ONCE
