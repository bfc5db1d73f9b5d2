"""Each misbehaviour of an endpoint, and what becomes of a task that meets it: decision, wait, calls and words.

The table is in `misbehaviours.py`. What each means to the client is in `test_statuses.py`, `test_bad_answers.py` and
`test_retry_after.py`; here it is a whole task of two pages, the first of which the endpoint treats so.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django import tasks

from tasks_app.kinds.asking import ask
from tasks_app.models import ModelCall, Outcome, Task
from tasks_app.testing import HastyContext, perform_task
from tasks_app.work.context import Context
from tests.endpoint.misbehaviours import ALL, CALL_SECONDS, Case, Decision
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import status

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task


# About a page that is long enough to be halved; its marker is in the first half.
def page(number: int) -> str:
    return f"PAGE-{number:04d}. " + "The harbour was quiet in the morning. " * 20


@task(kind="test.misbehaviour", queue_name="gpu", takes_context=True, deadline=9000)
def two_pages(context: Context) -> list[dict[str, Any]]:
    def work(number: int) -> dict[str, Any]:
        found = ask(context, "Summarise.", [page(number)])
        return {"text": found.text, "truncated": found.truncated}

    items = context.map("page", work, [1, 2], failures="collect")
    return [{"error": one.error_text} if one.failed else {"error": "", **one.value} for one in items]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited for between two tries."""
    waited: list[float] = []
    monkeypatch.setattr(HastyContext, "sleep", lambda _, seconds: waited.append(seconds))
    return waited


@pytest.fixture(autouse=True)
def _base_of_our_own_waits(settings: Any) -> None:
    settings.LONGHAUL_BACKOFF_BASE_SECONDS = 2


@pytest.fixture
def _limit_of_a_call(settings: Any, case: Case) -> None:
    # A busy machine needs its time for an answer.
    settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = CALL_SECONDS if case.is_silence else 60


@pytest.mark.usefixtures("_limit_of_a_call")
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_misbehaviour_meets_its_decision(db: None, endpoint: ModelEndpoint, waits: list[float], case: Case) -> None:
    endpoint.script("PAGE-0001", case.does)
    row = perform_task(two_pages, attempts=1)
    if case.decision is Decision.WAITS:
        waits.append(checked_wait(row, says=case.says))
        row = perform_task(row)
    CHECKS[case.decision](row, case)
    assert len(endpoint.calls_of("PAGE-0001")) == case.calls
    assert len(endpoint.calls_of("PAGE-0002")) == (0 if case.decision is Decision.TASK_FAILS else 1)
    assert len(waits) == len(case.waits)
    for wait, (least, most) in zip(waits, case.waits, strict=True):
        assert least <= wait <= most
    assert spent(row) == int(case.decision is Decision.TASK_FAILS)
    assert not ModelCall.objects.in_doubt().exists()


def checked_wait(row: Task, *, says: str) -> float:
    """Seconds until the next attempt of a task whose first one just ended as waiting."""
    first = row.attempts.get()
    assert (row.status, first.outcome, first.spent) == ("pending", Outcome.WAITING, False)
    assert says in first.error_text
    assert first.finished_at is not None
    return (row.available_at - first.finished_at).total_seconds()


def spent(row: Task) -> int:
    return row.attempts.filter(spent=True).count()


def is_answered(row: Task, _case: Case, *, truncated: bool = False) -> None:
    assert row.status == "succeeded", row.error_text
    first, second = row.load()
    assert first["text"].startswith("R-0001"[: 3 if truncated else None])
    assert (first["truncated"], first["error"], second["text"]) == (truncated, "", "R-0002")


def is_answered_again(row: Task, case: Case) -> None:
    is_answered(row, case)
    # Each call has a row of its own, and the first one says how it ended.
    first, second = ModelCall.objects.filter(step_index=0).order_by("pk")
    assert (first.outcome != "answered", second.outcome) == (True, "answered")
    assert first.idempotency_key != second.idempotency_key, "after a received error the key changes"


def is_named(row: Task, case: Case) -> None:
    assert (row.status, row.failed_items) == ("succeeded", 1)
    first, second = row.load()
    assert case.says in first["error"]
    assert second["text"] == "R-0002"


def has_failed(row: Task, case: Case) -> None:
    assert (row.status, row.error_code) == ("failed", "error")
    assert case.says in row.error_text
    assert row.attempts.count() == 1


def is_in_halves(row: Task, _case: Case) -> None:
    is_answered(row, _case)
    assert row.load()[0]["text"].count("R-") == 2


CHECKS: dict[Decision, Callable[[Task, Case], None]] = {
    Decision.AGAIN: is_answered_again,
    Decision.WAITS: is_answered_again,
    Decision.ITEM_FAILS: is_named,
    Decision.TASK_FAILS: has_failed,
    Decision.SMALLER: is_in_halves,
    Decision.MARKED: partial(is_answered, truncated=True),
}


# One for each sentence, whatever the status in it.
REASONS = {re.sub(r"\d+", "", case.says): case for case in ALL if case.decision is Decision.AGAIN}


@pytest.mark.usefixtures("_limit_of_a_call")
@pytest.mark.parametrize("case", REASONS.values(), ids=lambda case: case.name)
def test_the_reason_of_a_repeat_is_kept_when_the_tries_are_spent(
    db: None, endpoint: ModelEndpoint, waits: list[float], case: Case
) -> None:
    endpoint.script("PAGE-0001", case.does * 3)
    row = perform_task(two_pages)
    is_named(row, case)
    assert (len(endpoint.calls_of("PAGE-0001")), len(waits)) == (3, 2)
    assert row.steps.order_by("index")[0].tries == 3


@task(kind="test.misbehaviour.short", queue_name="gpu", takes_context=True, deadline=1800)
def one_page(context: Context) -> str:
    return context.step("page", lambda: ask(context, "Summarise.", [page(1)]).text)  # type: ignore[no-any-return]


def test_a_wait_past_the_deadline_fails_the_task_now(db: None, endpoint: ModelEndpoint) -> None:
    endpoint.script("PAGE-0001", [status(429, headers={"Retry-After": "3600"})])
    row = perform_task(one_page, attempts=1)
    assert (row.status, row.error_code) == ("failed", "deadline_exceeded")
    assert "asks us to slow down (HTTP 429)" in row.error_text
    assert len(endpoint.calls) == 1
