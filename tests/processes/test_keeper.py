"""A child that does not come up is started again, ever more slowly; one that must not be used again makes way."""

import logging
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tasks_app.conf import Queue
from tasks_app.processes.keeper import (
    LONGEST_WAIT_SECONDS,
    MEASURE_SECONDS,
    START_SECONDS,
    Cause,
    Keeper,
    wait_before_start,
)
from tasks_app.processes.pipe import PipeClosed


class Reporting:
    """A child by its reports; `None`: silent, "": dies."""

    def __init__(self, *reports: Any, pid: int = 1) -> None:
        self.pid = pid
        self._reports = list(reports)
        self.is_alive = True
        self.killed = False

    def hear(self, *, within: float) -> Any:
        report = self._reports.pop(0)
        if report == "":
            raise PipeClosed
        return report

    def kill(self) -> str:
        self.killed = True
        return "was killed (SIGKILL)"


class Nursery:
    """A keeper whose clock and children the test holds."""

    def __init__(self, *children: Reporting) -> None:
        self.now = 1000.0
        self.children = list(children)
        self.keeper = Keeper(start=self._start, clock=lambda: self.now)  # type: ignore[arg-type]

    def _start(self) -> Reporting:
        return self.children[self.keeper.starts]

    def ready(self) -> Any:
        return self.keeper.ready(within=0)


def test_a_child_is_ready_when_it_says_so() -> None:
    child = Reporting(None, {"ready": ["a", "b"]})
    nursery = Nursery(child)
    assert nursery.ready() is None
    assert nursery.ready() is child
    assert nursery.keeper.kinds == {"a", "b"}


@pytest.mark.parametrize("report", ["", {"failed": "Traceback: half a deploy"}])
def test_a_child_that_fails_is_logged_and_tried_again_later(report: Any, caplog: pytest.LogCaptureFixture) -> None:
    second = Reporting({"ready": []})
    nursery = Nursery(Reporting(report), second)
    assert nursery.ready() is None
    assert nursery.children[0].killed
    assert "next try in 1 s" in caplog.text
    assert nursery.ready() is None
    assert nursery.keeper.starts == 1
    nursery.now += 1
    assert nursery.ready() is second
    assert nursery.keeper.causes == {Cause.NOT_READY: 1}


def test_a_child_that_hangs_at_start_is_killed() -> None:
    nursery = Nursery(Reporting(None, None), Reporting(None))
    nursery.ready()
    nursery.now += START_SECONDS + 1
    assert nursery.ready() is None
    assert nursery.children[0].killed


def test_an_idle_child_that_died_is_replaced_at_once() -> None:
    first, second = Reporting({"ready": ["a"]}), Reporting({"ready": ["a"]})
    nursery = Nursery(first, second)
    assert nursery.ready() is first
    first.is_alive = False
    assert nursery.ready() is second
    assert nursery.keeper.restarts == 1
    assert nursery.keeper.causes == {Cause.DIED_IDLE: 1}


def queue(*, tasks: int = 1000, soft_bytes: int = 10**12, bytes_: int = 10**12) -> Queue:
    return Queue(
        "gpu", attempt_timeout_seconds=300, memory_bytes=bytes_, soft_memory_bytes=soft_bytes, tasks_per_child=tasks
    )


def working(*pids: int) -> Nursery:
    """The first child is ready."""
    nursery = Nursery(*[Reporting({"ready": ["a"]}, pid=pid) for pid in pids])
    assert nursery.ready() is nursery.children[0]
    return nursery


def test_a_spoiled_child_makes_way_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    nursery = working(11, 12)
    nursery.keeper.spoil("its task left a thread behind: forgotten")
    assert nursery.children[0].killed
    assert nursery.ready() is nursery.children[1]
    assert "child 11 makes way for a new one: its task left a thread behind: forgotten" in caplog.messages
    assert nursery.keeper.causes == {Cause.SPOILED: 1}


def test_a_child_makes_way_after_so_many_attempts_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    nursery = working(11, 12, 13)
    for child in nursery.children[:2]:
        assert nursery.ready() is child
        nursery.keeper.performed(queue(tasks=2))
        assert nursery.ready() is child
        nursery.keeper.performed(queue(tasks=2))
    assert nursery.ready() is nursery.children[2]
    assert "child 12 makes way for a new one: it has made 2 attempts" in caplog.messages
    assert nursery.keeper.causes == {Cause.TASKS: 2}


@pytest.fixture
def program() -> Iterator[int]:
    """A living process that leads a session, as a child does."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as started:
        yield started.pid
        started.kill()


def test_an_idle_child_past_its_mark_makes_way(program: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    nursery = working(program, 12)
    nursery.keeper.performed(queue(soft_bytes=10**9))
    assert nursery.ready() is nursery.children[0]
    # In the same second only the child itself is measured.
    nursery.keeper.performed(queue(soft_bytes=1, bytes_=1))
    assert nursery.ready() is nursery.children[1]
    assert "of memory, its mark is 0 MB" in caplog.text
    assert nursery.keeper.causes == {Cause.MEMORY: 1}


def test_a_child_that_is_past_its_mark_from_the_first_stays_until_half_of_its_room_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    held = [600, 790, 810]
    monkeypatch.setattr("tasks_app.processes.keeper.session_bytes", lambda _: held.pop(0))
    nursery = working(11, 12)
    for _ in range(2):
        nursery.keeper.performed(queue(soft_bytes=400, bytes_=1000))
        assert nursery.ready() is nursery.children[0]
        nursery.now += MEASURE_SECONDS
    nursery.keeper.performed(queue(soft_bytes=400, bytes_=1000))
    assert nursery.ready() is nursery.children[1]
    assert caplog.text.count("after its first attempt, its mark in the queue gpu is") == 1


def test_an_attempt_whose_child_is_gone_counts_for_no_other() -> None:
    nursery = working(11, 12, 13)
    nursery.keeper.drop()
    nursery.keeper.performed(queue(tasks=1))
    assert nursery.ready() is nursery.children[1]
    assert nursery.keeper.causes == {Cause.IN_ATTEMPT: 1}


def test_what_is_dropped_at_the_end_is_no_restart() -> None:
    nursery = working(11)
    nursery.keeper.drop()
    assert nursery.keeper.restarts == 0
    assert not nursery.keeper.causes


def test_every_restart_has_a_cause() -> None:
    nursery = working(11, 12, 13)
    nursery.keeper.spoil("it is spoiled")
    nursery.ready()
    nursery.keeper.performed(queue(tasks=1))
    nursery.ready()
    assert nursery.keeper.causes.total() == nursery.keeper.restarts == 2


def test_the_waits_grow_up_to_a_maximum() -> None:
    assert [wait_before_start(n) for n in range(4)] == [1, 2, 4, 8]
    assert wait_before_start(1000) == LONGEST_WAIT_SECONDS
