"""A worker that is told to leave. Beyond its grace, and told twice: `drill/deploys.py`."""

import signal

import pytest

from tasks_app.models import Worker
from tasks_app.processes.stop import Stop

from .conftest import Yard


@pytest.mark.django_db(transaction=True)
def test_an_idle_worker_exits_0_at_once(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu", LONGHAUL_SHUTDOWN_GRACE_SECONDS="600", LONGHAUL_IDLE_LOOK_SECONDS="600")
    # It waits for neither of them.
    assert worker.stop() == 0
    assert Worker.objects.get(pid=worker.pid).stopped_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_task_that_ends_within_the_grace_ends_normally(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu", LONGHAUL_SHUTDOWN_GRACE_SECONDS="60")
    gate = yard.gate()
    task = yard.submit("held", gate=str(gate))
    behind = yard.submit("quick")
    yard.wait_for_line("held")
    worker.signal(signal.SIGTERM)
    gate.touch()
    assert worker.wait() == 0
    task.refresh_from_db()
    behind.refresh_from_db()
    assert (task.status, yard.outcomes(task)) == ("succeeded", ["succeeded"])
    assert (behind.attempt, yard.lines) == (0, ["held", "released"])


def test_a_second_signal_insists_whichever_of_the_two_it_is() -> None:
    stop, before = Stop(), {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        stop.listen()
        signal.raise_signal(signal.SIGTERM)
        assert (stop.is_requested, stop.is_insisted) == (True, False)
        signal.raise_signal(signal.SIGINT)
        assert stop.is_insisted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_the_grace_counts_from_the_first_signal() -> None:
    now = 100.0
    stop = Stop(clock=lambda: now)
    assert not stop.is_overdue(grace=0)
    stop.request()
    assert stop.is_requested
    assert not stop.is_overdue(grace=60)
    now = 160.0
    assert stop.is_overdue(grace=60)
