"""The helper with which developers test their kinds."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django import forms, tasks
from django.db import connection
from django.test import TestCase

from tasks_app.exceptions import InvalidInput, PermanentError, RetryableError, Unavailable
from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Attempt, Task, Worker
from tasks_app.testing import MOST_ATTEMPTS, NotPerformed, perform_task
from tasks_app.work.context import Context
from tasks_app.work.files import SourceDocument
from tasks_app.work.secrets import Secret
from tests.support.rows import make_task, make_user, make_worker

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task

EXECUTED: Counter[Any] = Counter()
FAILURES: list[BaseException] = []


@pytest.fixture(autouse=True)
def fresh() -> None:
    EXECUTED.clear()
    FAILURES.clear()


def work(item: Any) -> Any:
    EXECUTED[item] += 1
    if FAILURES:
        raise FAILURES.pop(0)
    return {"answer": item}


@task(kind="testing.steps", queue_name="gpu", takes_context=True)
def steps(context: Context, count: int, *, concurrency: int = 1) -> list[Any]:
    first = context.step("first", work, "first")
    return [first, *context.map("items", work, range(count), concurrency=concurrency)]


@task(kind="testing.waits", queue_name="cpu", takes_context=True)
async def waits(context: Context) -> str:
    await context.asleep(3600)
    return "awake"


class PasswordForm(forms.Form):
    user = forms.CharField()
    password = forms.CharField(widget=forms.PasswordInput)


@task(kind="testing.secret", form=PasswordForm)
def secret(*, user: str, password: Secret) -> str:
    return f"{user} {password.reveal()}"


@task(kind="testing.document", takes_context=True)
def read(context: Context, *, document: SourceDocument) -> list[str]:
    return [document.name, document.local_path().read_text(), str(context.workdir.exists())]


@task(kind="testing.plain")
def plain(a: int, b: int = 0) -> int:
    return a + b


def test_it_returns_the_row_of_a_task_that_is_final(db: None) -> None:
    row = perform_task(steps, 2)
    assert (row.status, row.load()) == ("succeeded", [{"answer": "first"}, {"answer": 0}, {"answer": 1}])
    assert list(row.steps.order_by("index").values_list("name", flat=True)) == ["first", "items", "items"]
    assert (row.progress_done, row.progress_total) == (2, 2)
    assert [attempt.outcome for attempt in row.attempts.all()] == ["succeeded"]


def test_a_function_without_context_is_a_kind_too(db: None) -> None:
    assert perform_task(plain, 1, b=2).load() == 3


def test_a_task_that_was_enqueued_can_be_performed(db: None) -> None:
    result = plain.enqueue(1)
    assert perform_task(result).load() == 1
    result.refresh()
    assert result.return_value == 1


@pytest.mark.parametrize("isolation", ["db", "transactional_db"])
def test_it_works_whether_or_not_the_test_keeps_a_transaction_open(
    isolation: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(isolation)
    user = make_user("ada")
    row = perform_task(steps, 4, concurrency=2, owner=user)
    assert (row.status, row.owner) == ("succeeded", user)
    assert sorted(EXECUTED.values()) == [1] * 5


class InDjangosTestCase(TestCase):
    def test_what_the_test_wrote_is_seen_by_every_item(self) -> None:
        user = make_user("ada")
        row = perform_task(owners, owner=user)
        assert row.load() == ["ada"] * 4
        assert connection.in_atomic_block


@task(kind="testing.owners", takes_context=True)
async def owners(context: Context) -> list[Any]:
    async def item(_: int) -> str:
        row = await Task.objects.select_related("owner").aget(pk=context.task_id)
        return row.owner.username if row.owner else ""

    return await context.amap("items", item, range(4), concurrency=4)


def test_items_are_side_by_side_where_the_test_allows_it(transactional_db: None) -> None:
    assert perform_task(together).load() == [True, True, True]


@task(kind="testing.together", takes_context=True)
def together(context: Context) -> list[Any]:
    barrier = threading.Barrier(3, timeout=45)
    return context.map("items", lambda _: barrier.wait() >= 0, range(3), concurrency=3)


def test_what_is_wrong_with_the_input_is_told(db: None) -> None:
    FAILURES.append(InvalidInput("There is no page 7."))
    row = perform_task(steps, 0)
    assert (row.status, row.error_code, row.error_text) == ("failed", "invalid_input", "There is no page 7.")


def test_waits_before_another_try_are_not_slept_through(db: None, settings: Any) -> None:
    settings.LONGHAUL_BACKOFF_BASE_SECONDS = settings.LONGHAUL_BACKOFF_MAX_SECONDS = 20
    FAILURES.extend([RetryableError("busy"), RetryableError("busy")])
    began = time.monotonic()
    row = perform_task(steps, 0)
    assert row.status == "succeeded"
    assert row.steps.get().tries == 3
    assert time.monotonic() - began < 25


def test_waits_between_attempts_are_not_slept_through(db: None, settings: Any) -> None:
    FAILURES.extend([Unavailable("down", retry_after=600), Unavailable("down", retry_after=600)])
    row = perform_task(steps, 0)
    assert [attempt.outcome for attempt in row.attempts.order_by("number")] == ["waiting", "waiting", "succeeded"]


def test_a_kinds_own_sleep_is_not_slept_through(db: None) -> None:
    assert perform_task(waits).load() == "awake"


def test_finished_steps_are_not_executed_again_after_a_death(db: None) -> None:
    row = perform_task(steps, 3, dies_after=2)
    assert row.status == "succeeded"
    assert [attempt.outcome for attempt in row.attempts.order_by("number")] == ["lost", "succeeded"]
    assert EXECUTED == {"first": 1, 0: 1, 1: 1, 2: 1}


def test_a_death_side_by_side_repeats_no_finished_step_either(transactional_db: None) -> None:
    row = perform_task(steps, 12, concurrency=3, dies_after=5)
    assert row.status == "succeeded"
    assert sorted(EXECUTED.values()) == [1] * 13


def test_a_death_that_does_not_come_fails_the_test(db: None) -> None:
    with pytest.raises(NotPerformed, match="before 9 steps were kept"):
        perform_task(steps, 2, dies_after=9)


def test_one_attempt_can_be_looked_at_before_the_next(db: None) -> None:
    FAILURES.append(Unavailable("down"))
    row = perform_task(steps, 0, attempts=1)
    assert (row.status, row.attempt) == ("pending", 1)
    assert perform_task(row).status == "succeeded"
    assert EXECUTED == {"first": 2}


def test_a_stop_between_the_attempts_counts(db: None) -> None:
    row = perform_task(steps, 2, dies_after=1, attempts=1)
    cancel(row.pk)
    assert perform_task(row).status == "cancelled"
    assert EXECUTED == {"first": 1}


def test_a_task_that_never_ends_fails_the_test(db: None) -> None:
    FAILURES.extend([Unavailable("The endpoint is down.")] * (MOST_ATTEMPTS + 1))
    with pytest.raises(NotPerformed, match=r"After 20 attempts the task is pending\. .* The endpoint is down\."):
        perform_task(steps, 0)


def test_an_unexpected_error_shows_its_traceback_to_the_developer(db: None, caplog: pytest.LogCaptureFixture) -> None:
    FAILURES.append(ZeroDivisionError("ours"))
    row = perform_task(steps, 0)
    assert row.status == "failed"
    assert "ZeroDivisionError: ours" in row.attempts.get().traceback
    assert "ZeroDivisionError: ours" in caplog.text


def test_errors_of_items_end_the_task_or_are_collected(db: None) -> None:
    FAILURES.append(PermanentError("no"))
    assert perform_task(steps, 2).error_text == "no"


def test_the_document_is_a_file_or_its_content(db: None, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("The harbour was quiet.")
    assert perform_task(read, document=path).load() == ["note.txt", "The harbour was quiet.", "True"]
    assert perform_task(read, document=("a.md", b"# A")).load() == ["a.md", "# A", "True"]


def test_a_document_that_could_not_be_submitted_is_refused(db: None) -> None:
    with pytest.raises(InvalidInput):
        perform_task(read, document=("empty.txt", b""))
    with pytest.raises(InvalidInput, match="takes no document"):
        perform_task(plain, 1, document=("a.md", b"# A"))


def test_a_secret_reaches_its_kind_and_not_the_row(db: None) -> None:
    row = perform_task(secret, user="ada", password="hunter2")
    assert row.load() == "ada hunter2"
    assert (row.payload["kwargs"], row.secrets) == ({"user": "ada"}, "")


def test_other_tasks_of_the_same_queue_are_left_alone(db: None) -> None:
    user = make_user("ada")
    first = perform_task(steps, 2, owner=user, dies_after=1, attempts=1)
    waiting = make_task(user, kind="testing.steps", queue="gpu")
    assert perform_task(steps, 1, owner=user).status == "succeeded"
    first.refresh_from_db()
    waiting.refresh_from_db()
    assert (first.attempt, waiting.attempt) == (1, 0)


def test_the_times_of_the_row_are_those_of_a_worker(db: None) -> None:
    row = perform_task(steps, 2, dies_after=1)
    first = row.attempts.order_by("number").first()
    assert first is not None
    assert row.started_at is not None
    assert row.deadline_at is not None
    assert abs((row.started_at - first.started_at).total_seconds()) < 20
    assert row.deadline_at - row.started_at == row.deadline_after


def test_an_owner_whose_slots_are_taken_is_told(db: None, settings: Any) -> None:
    user = make_user("ada")
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER = 1
    make_worker("gpu")
    make_task(user)
    admit(user.pk)
    with pytest.raises(NotPerformed, match="was not admitted"):
        perform_task(plain, 1, owner=user)


def test_it_leaves_no_live_worker(db: None) -> None:
    perform_task(plain, 1)
    assert not Worker.objects.live().exists()
    assert Attempt.objects.get().worker is not None
