"""Django's documented contract of a task backend: declaring a task and changing it (topics/tasks, ref/tasks)."""

import pickle
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.tasks import Task as DjangoTask
from django.tasks import TaskResultStatus, default_task_backend, task, task_backends
from django.tasks.backends.dummy import DummyBackend
from django.tasks.exceptions import InvalidTask
from django.utils import timezone

from tasks_app.kinds import registry
from tasks_app.kinds.backend import LonghaulBackend
from tests.support import kinds_plain

DUMMY = {"BACKEND": "django.tasks.backends.dummy.DummyBackend", "QUEUES": []}
BACKEND = "tasks_app.kinds.backend.LonghaulBackend"

declare: Callable[..., Callable[[Callable[..., Any]], Any]] = task


@pytest.fixture(autouse=True)
def _kinds_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))


@pytest.fixture
def other_backends(settings: Any) -> None:
    settings.TASKS = {**settings.TASKS, "dummy": DUMMY, "second": {"BACKEND": BACKEND, "QUEUES": ["cpu", "default"]}}


def function() -> None:
    """Does nothing."""


async def coroutine() -> None:
    """Does nothing, later."""


def with_context(context: Any) -> None:
    """Does nothing with its context."""


def test_it_says_that_it_can_do_all_that_a_backend_may() -> None:
    backend = task_backends["default"]
    assert isinstance(backend, LonghaulBackend)
    assert (backend.supports_defer, backend.supports_async_task) == (True, True)
    assert (backend.supports_get_result, backend.supports_priority) == (True, True)
    assert list(backend.check()) == []


def test_the_decorator_makes_a_task_with_the_documented_defaults() -> None:
    made = kinds_plain.add
    assert isinstance(made, DjangoTask)
    assert (made.name, made.module_path) == ("add", "tests.support.kinds_plain.add")
    assert (made.priority, made.backend, made.queue_name) == (0, "default", "default")
    assert (made.run_after, made.takes_context) == (None, False)


def test_the_decorator_keeps_what_it_is_given() -> None:
    made = declare(priority=2, queue_name="gpu", takes_context=True)(with_context)
    assert (made.priority, made.queue_name, made.takes_context) == (2, "gpu", True)


def test_a_task_can_be_called_in_place() -> None:
    assert kinds_plain.add.call(1, 2) == 3
    slow: Any = kinds_plain.add_slowly
    assert slow.call(1, 2) == 3


def test_attributes_of_a_task_cannot_be_modified() -> None:
    with pytest.raises(AttributeError):
        kinds_plain.add.priority = 5  # type: ignore[misc]


def test_using_makes_another_task_and_leaves_the_first_as_it_is() -> None:
    later = timezone.now() + timedelta(hours=1)
    changed = kinds_plain.add.using(priority=10, queue_name="gpu", run_after=later)
    assert (changed.priority, changed.queue_name, changed.run_after) == (10, "gpu", later)
    assert (kinds_plain.add.priority, kinds_plain.add.queue_name, kinds_plain.add.run_after) == (0, "default", None)
    assert changed.using(priority=3).queue_name == "gpu"


def test_a_task_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(kinds_plain.add)) == kinds_plain.add


@pytest.mark.parametrize("priority", [-100, 0, 100])
def test_priorities_from_minus_100_to_100_are_good(priority: int) -> None:
    assert kinds_plain.add.using(priority=priority).priority == priority


@pytest.mark.parametrize("priority", [-101, 101, 1.5])
def test_other_priorities_are_refused(priority: Any) -> None:
    with pytest.raises(InvalidTask, match="whole number between -100 and 100"):
        kinds_plain.add.using(priority=priority)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidTask, match="aware"):
        kinds_plain.add.using(run_after=datetime(2026, 1, 1))  # noqa: DTZ001


def test_an_unknown_queue_is_refused() -> None:
    with pytest.raises(InvalidTask, match="Queue 'nowhere' is not valid"):
        kinds_plain.add.using(queue_name="nowhere")


def test_a_time_in_the_decorator_is_refused() -> None:
    with pytest.raises(TypeError, match="run_after"):
        declare(run_after=timezone.now())(function)


def test_a_function_inside_a_function_is_refused() -> None:
    def inner() -> None:
        """Nobody could import it."""

    for one in (inner, lambda: None):
        with pytest.raises(InvalidTask, match="module level"):
            task(one)


def test_a_task_with_context_must_take_it_first() -> None:
    with pytest.raises(InvalidTask, match="context"):
        declare(takes_context=True)(function)


def test_a_coroutine_function_is_good() -> None:
    assert isinstance(task(coroutine), DjangoTask)


def test_a_task_that_became_invalid_is_refused_when_it_is_enqueued(settings: Any, db: None) -> None:
    made = kinds_plain.add.using(queue_name="gpu")
    settings.TASKS = {"default": {"BACKEND": BACKEND, "QUEUES": ["cpu"]}}
    with pytest.raises(InvalidTask, match="Queue 'gpu' is not valid"):
        made.enqueue(1, 2)


def test_another_backend_takes_the_task_as_it_is(other_backends: None) -> None:
    result = kinds_plain.add.using(backend="dummy").enqueue(1, 2)
    dummy = task_backends["dummy"]
    assert isinstance(dummy, DummyBackend)
    assert [one.id for one in dummy.results] == [result.id]


def test_a_second_backend_of_ours_knows_its_own_results(other_backends: None, db: None) -> None:
    result = kinds_plain.add.using(backend="second").enqueue(1, 2)
    assert (result.backend, result.task.backend) == ("second", "second")
    result.refresh()
    assert result.status == TaskResultStatus.READY
    assert task_backends["second"].get_result(result.id) == result
    assert default_task_backend.get_result(result.id).backend == "default"
