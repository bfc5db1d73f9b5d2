"""Django's documented contract of a task backend: enqueueing (topics/tasks, ref/tasks)."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import transaction
from django.tasks import TaskResultStatus
from django.tasks.signals import task_enqueued
from django.utils import timezone

from tasks_app.kinds.backend import LonghaulBackend
from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.claim import claim
from tasks_app.models import Task
from tests.kinds.conformance import carry_out, listening
from tests.support import kinds_plain
from tests.support.rows import make_worker

KIND = kinds_plain.add.module_path


def claimed_in_turn() -> list[str]:
    """The ids of all that a worker takes now, one after the other."""
    worker = make_worker("cpu", kinds=(KIND,))
    taken = []
    admit(None)
    while (claimed := claim(worker.pk, queue="cpu", kinds=[KIND])) is not None:
        taken.append(str(claimed.ref.task_id))
    return taken


def test_a_new_result_is_ready_and_knows_what_it_is_of(db: None) -> None:
    before = timezone.now() - timedelta(seconds=5)
    result = kinds_plain.add.enqueue(1, b=2)
    assert (result.task, result.backend, result.status) == (kinds_plain.add, "default", TaskResultStatus.READY)
    assert (result.args, result.kwargs) == ([1], {"b": 2})
    assert isinstance(result.id, str)
    assert len(result.id) < 64
    assert result.enqueued_at
    assert before <= result.enqueued_at <= timezone.now() + timedelta(seconds=5)
    assert (result.started_at, result.finished_at, result.last_attempted_at) == (None, None, None)
    assert (result.attempts, result.worker_ids, result.errors, result.is_finished) == (0, [], [], False)


def test_its_attributes_cannot_be_modified(db: None) -> None:
    result = kinds_plain.nothing.enqueue()
    with pytest.raises(AttributeError):
        result.status = TaskResultStatus.SUCCESSFUL


def test_ids_are_unique(db: None) -> None:
    assert len({kinds_plain.add.enqueue(1, 2).id for _ in range(20)}) == 20


def test_the_async_variant_does_the_same(transactional_db: None) -> None:
    result = async_to_sync(kinds_plain.add.aenqueue)(1, b=2)
    assert (result.status, result.args, result.kwargs) == (TaskResultStatus.READY, [1], {"b": 2})
    assert carry_out(result).return_value == 3


@pytest.mark.parametrize("value", [object(), {1, 2}, timezone.now(), lambda: None, kinds_plain.add], ids=type)
def test_arguments_that_are_not_json_are_refused(db: None, value: Any) -> None:
    for enqueue in (partial(kinds_plain.echo.enqueue, value), partial(kinds_plain.echo.enqueue, deep=[{"a": value}])):
        with pytest.raises(TypeError):
            enqueue()
    assert not Task.objects.exists()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a\x00b", "\ud83d", ["deep", {"\x00": 1}], b"\xff"])
def test_what_json_or_a_database_cannot_keep_is_refused_before_anything_is_written(db: None, value: Any) -> None:
    for enqueue in (partial(kinds_plain.echo.enqueue, value), partial(kinds_plain.echo.enqueue, named=value)):
        with pytest.raises(ValueError, match=r"."):
            enqueue()
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ((1, 2, 3), [1, 2, 3]),
        ({1: "one", None: [(2,)]}, {"1": "one", "null": [[2]]}),
        ("\N{LATIN SMALL LIGATURE FI} \\u0000 \N{PILE OF POO}", "\N{LATIN SMALL LIGATURE FI} \\u0000 \N{PILE OF POO}"),
        ([None, True, -1, 0.1, 10**30, ""], [None, True, -1, 0.1, 10**30, ""]),
    ],
)
def test_arguments_arrive_as_a_round_trip_through_json_leaves_them(
    transactional_db: None, given: Any, got: Any
) -> None:
    result = kinds_plain.echo.enqueue(given, named=given)
    assert (result.args, result.kwargs) == ([got], {"named": got})
    assert kinds_plain.echo.get_result(result.id) == result
    row = Task.objects.get(pk=result.id)
    assert row.payload["args"] == [got]
    assert carry_out(result).status == TaskResultStatus.SUCCESSFUL


def test_arguments_are_not_checked_against_the_function(transactional_db: None) -> None:
    result = carry_out(kinds_plain.add.enqueue(1, 2, 3))  # type: ignore[call-arg]
    assert result.status == TaskResultStatus.FAILED
    assert result.errors[0].exception_class is TypeError


def test_a_larger_priority_is_sooner(db: None) -> None:
    low, usual, high = (kinds_plain.add.using(priority=n).enqueue(1, 2).id for n in (-5, 0, 7))
    assert claimed_in_turn() == [high, usual, low]


def test_it_is_not_before_its_time(db: None) -> None:
    later = timezone.now() + timedelta(hours=1)
    result = kinds_plain.add.using(run_after=later).enqueue(1, 2)
    now = kinds_plain.add.using(run_after=timezone.now() - timedelta(hours=1)).enqueue(1, 2)
    assert claimed_in_turn() == [now.id]
    result.refresh()
    assert (result.status, result.task.run_after) == (TaskResultStatus.READY, later)


def test_it_goes_to_the_queue_that_it_names(db: None) -> None:
    kinds_plain.add.using(queue_name="gpu").enqueue(1, 2)
    assert Task.objects.get().queue == "gpu"


def test_inside_a_transaction_it_exists_with_the_commit(transactional_db: None) -> None:
    with transaction.atomic():
        result = kinds_plain.add.enqueue(1, 2)
        transaction.set_rollback(True)
    assert not Task.objects.filter(pk=result.id).exists()


def test_on_commit_enqueues_after_the_commit_and_never_after_a_rollback(transactional_db: None) -> None:
    with transaction.atomic():
        transaction.on_commit(partial(kinds_plain.add.enqueue, a=1, b=2))
        assert not Task.objects.exists()
    assert Task.objects.get().kwargs == {"a": 1, "b": 2}
    with transaction.atomic():
        transaction.on_commit(partial(kinds_plain.add.enqueue, a=3, b=4))
        transaction.set_rollback(True)
    assert Task.objects.count() == 1


def test_who_listens_is_told_with_the_backend_as_sender(db: None) -> None:
    with listening(task_enqueued) as heard:
        result = kinds_plain.add.enqueue(1, 2)
    assert heard == [(LonghaulBackend, result)]
