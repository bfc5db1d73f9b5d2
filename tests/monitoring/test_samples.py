"""What is counted of each queue, and what is kept of it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from tasks_app.models import QueueSample, QueueState, Task, Worker
from tasks_app.monitoring.samples import Paused, figures, take_samples
from tests.support.rows import make_task, make_worker, silence, start

from .rows import closing, make_done, make_due, of

pytestmark = pytest.mark.django_db


def pause(**fields: Any) -> QueueState:
    return QueueState.objects.create(paused_at=Now(), reason="model upgrade", **fields)


def test_every_queue_is_told_of_in_the_order_of_the_settings(settings: Any) -> None:
    assert [queue.name for queue in figures()] == list(settings.TASK_QUEUES)


def test_an_empty_queue_is_all_zero() -> None:
    gpu = of("gpu")
    assert (gpu.depth, gpu.running, gpu.workers, gpu.arrivals, gpu.completions) == (0, 0, 0, 0, 0)
    assert (gpu.oldest_seconds, gpu.drain_minutes, gpu.paused) == (0.0, 0.0, None)


def test_depth_is_what_is_due_and_waits_pending_and_queued(user: Any, worker: Worker) -> None:
    running, *_ = make_task(user), make_task(user), make_task(user, run_after=timezone.now() + timedelta(hours=1))
    start(running, worker)
    make_due(2, queue="cpu")
    gpu = of("gpu")
    assert (gpu.depth, gpu.running, gpu.arrivals, of("cpu").depth) == (1, 1, 3, 2)


def test_arrivals_and_completions_are_those_of_the_last_ten_minutes() -> None:
    make_done(3, minutes=9)
    make_done(2, minutes=11)
    make_due(1)
    gpu = of("gpu")
    assert (gpu.arrivals, gpu.completions) == (4, 3)
    assert gpu.drain_minutes == pytest.approx(10 / 3)


def test_what_ended_before_it_was_started_is_no_completion() -> None:
    make_done(3, started=False)
    make_due(1)
    assert (of("gpu").completions, of("gpu").drain_minutes) == (0, None)


def test_the_oldest_is_due_since_its_time_came_not_since_it_was_submitted() -> None:
    make_due(seconds=30)
    (task,) = make_due(seconds=300)
    assert 300 <= of("gpu").oldest_seconds < 400
    Task.objects.filter(pk=task.pk).update(available_at=Now() - timedelta(seconds=60))
    assert 60 <= of("gpu").oldest_seconds < 160


def test_workers_are_those_that_live_serve_the_queue_and_have_said_what_they_know() -> None:
    make_worker("gpu")
    make_worker("gpu", "cpu")
    make_worker("gpu", kinds=())
    silence(make_worker("gpu"))
    assert (of("gpu").workers, of("cpu").workers) == (2, 1)


def test_a_paused_queue_tells_by_whom_and_holds_all_that_waits(user: Any) -> None:
    state = pause(queue="gpu", paused_by=user)
    state.refresh_from_db()
    make_done(5)
    make_due(2)
    gpu = of("gpu")
    assert state.paused_at is not None
    assert gpu.paused == Paused(by="ada", reason="model upgrade", since=state.paused_at)
    assert (gpu.depth, gpu.held, gpu.unserved, gpu.drain_minutes) == (2, 2, 0, None)
    assert of("cpu").paused is None


def test_a_paused_queue_that_is_empty_has_nothing_to_drain() -> None:
    pause(queue="gpu")
    assert (of("gpu").drain_minutes, of("gpu").held) == (0.0, 0)


def test_tasks_of_a_paused_kind_are_counted_and_held_and_do_not_drain() -> None:
    pause(kind="slow")
    make_done(10)
    make_due(4, kind="slow", seconds=500)
    make_due(2)
    gpu = of("gpu")
    assert (gpu.depth, gpu.held, gpu.drain_minutes, gpu.paused) == (6, 4, 2.0, None)
    assert gpu.oldest_seconds < 300


def test_unserved_is_what_no_live_worker_of_its_queue_knows() -> None:
    make_due(2)
    make_due(1, kind="exotic")
    assert of("gpu").unserved == 3
    make_worker("cpu", kinds=("test", "exotic"))
    worker = make_worker("gpu")
    assert of("gpu").unserved == 1
    silence(worker)
    assert of("gpu").unserved == 3


def test_what_is_counted_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    make_due(2)
    now = timezone.now()
    monkeypatch.setattr("tasks_app.monitoring.samples.database_now", lambda: now)
    assert (take_samples(), take_samples()) == (2, 0)
    kept = QueueSample.objects.get(queue="gpu")
    assert (kept.at, kept.depth, kept.unserved, kept.drain_minutes) == (now.replace(microsecond=0), 2, 2, None)


@pytest.mark.django_db(transaction=True)
def test_a_sample_is_kept_once_in_a_second_however_many_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr("tasks_app.monitoring.samples.database_now", lambda: now)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: closing(take_samples), range(8)))
    assert QueueSample.objects.count() == 2


class TestAnIdleWorker:
    """It took nothing for a minute, although something that it knows was claimable all the time."""

    @pytest.fixture
    def idle(self) -> Worker:
        long_ago = Now() - timedelta(seconds=61)
        return make_worker("gpu", started_at=long_ago, serving_since=long_ago)

    @pytest.fixture
    def claimable(self, idle: Worker) -> Task:
        return self._queued(make_task())

    @staticmethod
    def _queued(task: Task, *, seconds: float = 61) -> Task:
        Task.objects.filter(pk=task.pk).update(status="queued", queued_at=Now() - timedelta(seconds=seconds))
        return task

    def test_is_counted(self, claimable: Task) -> None:
        assert (of("gpu").idle_workers, of("cpu").idle_workers) == (1, 0)

    def test_is_none_beside_what_is_only_pending(self, claimable: Task) -> None:
        Task.objects.update(status="pending")
        assert of("gpu").idle_workers == 0

    def test_is_none_beside_what_became_claimable_lately(self, claimable: Task) -> None:
        self._queued(claimable, seconds=20)
        assert of("gpu").idle_workers == 0

    def test_is_none_that_does_not_know_the_kind(self, idle: Worker) -> None:
        self._queued(make_task(kind="exotic"))
        assert of("gpu").idle_workers == 0

    def test_is_none_that_has_something_in_hand(self, idle: Worker, claimable: Task) -> None:
        Worker.objects.update(task_id_in_hand=claimable.pk)
        assert of("gpu").idle_workers == 0

    def test_is_none_that_had_an_attempt_lately(self, idle: Worker, claimable: Task) -> None:
        attempt = make_task().attempts.create(
            number=1, worker=idle, outcome="succeeded", finished_at=Now() - timedelta(seconds=20)
        )
        assert of("gpu").idle_workers == 0
        type(attempt).objects.update(finished_at=Now() - timedelta(seconds=61))
        assert of("gpu").idle_workers == 1

    def test_is_none_that_began_to_serve_lately(self, idle: Worker, claimable: Task) -> None:
        Worker.objects.update(serving_since=Now() - timedelta(seconds=20))
        assert of("gpu").idle_workers == 0

    def test_is_none_while_the_queue_or_the_kind_is_paused(self, claimable: Task) -> None:
        state = pause(kind="test")
        assert of("gpu").idle_workers == 0
        QueueState.objects.filter(pk=state.pk).update(queue="gpu", kind="")
        assert of("gpu").idle_workers == 0


def test_the_figures_of_all_queues_are_a_few_questions(django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(8):
        figures()
