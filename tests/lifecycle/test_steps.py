"""The rows of steps: kept once under (task, index), counted once, and by nobody but the attempt that owns the task."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle.steps import StepRecord, save_step, set_message, set_total
from tasks_app.models import AttemptRef, StepResult, StepStatus, Task, Worker
from tasks_app.signals import task_changed
from tests.support.rows import make_task, start


@pytest.fixture
def ref(transactional_db: None, user: Any, worker: Worker) -> AttemptRef:
    return start(make_task(user), worker).ref


def record(status: StepStatus = StepStatus.SUCCEEDED, **fields: Any) -> StepRecord:
    code = "timeout" if status == StepStatus.FAILED else ""
    values: dict[str, Any] = {"index": 0, "name": "generate", "key": "k" * 64, "is_item": True, "error_code": code}
    return StepRecord(status=status, **(values | fields))


def counts(ref: AttemptRef) -> tuple[int, int]:
    task = Task.objects.get(pk=ref.task_id)
    return task.progress_done, task.failed_items


def test_every_column_of_a_record_is_kept(ref: AttemptRef) -> None:
    value = {"text": "Sum: 100 %s; 'quoted', \"ümlaut\" \\ 漢", "pages": [1, 2]}
    kept = record(tries=2, duration_seconds=1.5, value={"value": value, "value_size": 9, "value_sha256": "s" * 64})
    version = save_step(ref, kept)
    row = StepResult.objects.get(task_id=ref.task_id)
    assert (row.name, row.key, row.is_item, row.status) == ("generate", "k" * 64, True, StepStatus.SUCCEEDED)
    assert (row.tries, row.duration_seconds, row.attempt, row.version) == (2, 1.5, ref.number, version)
    assert (row.value, row.value_file, row.value_size, row.value_sha256) == (value, "", 9, "s" * 64)
    assert (row.superseded, row.error_code, row.error_text) == (False, "", "")
    assert row.created_at is not None


def test_a_step_without_a_value_has_null_and_not_the_json_null(ref: AttemptRef) -> None:
    save_step(ref, record())
    assert StepResult.objects.filter(value__isnull=True).exists()


def test_a_repeat_of_a_write_that_was_committed_counts_nothing_again(ref: AttemptRef) -> None:
    first = save_step(ref, record())
    assert save_step(ref, record()) == first + 1
    assert counts(ref) == (1, 0)
    assert StepResult.objects.get(task_id=ref.task_id).version == first + 1


def test_the_same_write_from_many_connections_at_once_counts_once(ref: AttemptRef) -> None:
    def write(_: int) -> None:
        try:
            save_step(ref, record())
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(24)))
    assert counts(ref) == (1, 0)
    assert StepResult.objects.filter(task_id=ref.task_id).count() == 1


def test_a_success_in_the_place_of_a_failure_changes_the_counters(ref: AttemptRef) -> None:
    save_step(ref, record(StepStatus.FAILED))
    assert counts(ref) == (0, 1)
    save_step(ref, record())
    assert counts(ref) == (1, 0)


def test_a_superseded_row_is_replaced_and_had_not_counted(ref: AttemptRef) -> None:
    save_step(ref, record())
    StepResult.objects.update(superseded=True)
    Task.objects.update(progress_done=0)
    save_step(ref, record(key="n" * 64))
    assert counts(ref) == (1, 0)
    assert [row.key for row in StepResult.objects.current()] == ["n" * 64]


def test_a_step_that_is_no_item_is_not_counted(ref: AttemptRef) -> None:
    save_step(ref, record(is_item=False))
    assert counts(ref) == (0, 0)


@pytest.mark.parametrize("change", [{"attempt": 2}, {"status": "queued"}])
def test_an_attempt_that_lost_its_task_writes_nothing_and_tells_nobody(ref: AttemptRef, change: dict[str, Any]) -> None:
    Task.objects.update(**change)
    before = Task.objects.values().get()
    told: list[Any] = []
    task_changed.connect(listener := lambda **about: told.append(about))
    try:
        for write in (lambda: save_step(ref, record()), lambda: set_total(ref, 3), lambda: set_message(ref, "m")):
            with pytest.raises(NotOwner):
                write()
    finally:
        task_changed.disconnect(listener)
    assert Task.objects.values().get() == before
    assert not StepResult.objects.exists()
    assert told == []


def test_it_is_told_of_once_and_after_the_commit(ref: AttemptRef) -> None:
    told: list[tuple[int, bool]] = []

    def listen(*, version: int, **_: Any) -> None:
        told.append((version, connection.in_atomic_block))

    task_changed.connect(listen)
    try:
        versions = [save_step(ref, record()), save_step(ref, record())]
    finally:
        task_changed.disconnect(listen)
    assert told == [(version, False) for version in versions]


def test_within_a_transaction_a_row_in_its_place_breaks_nothing(ref: AttemptRef) -> None:
    with transaction.atomic():
        save_step(ref, record())
        save_step(ref, record(key="n" * 64))
    assert counts(ref) == (1, 0)
    assert StepResult.objects.get().key == "n" * 64
