"""A child that does not come up is started again, ever more slowly."""

from typing import Any

import pytest

from tasks_app.processes.keeper import LONGEST_WAIT_SECONDS, START_SECONDS, Keeper, wait_before_start
from tasks_app.processes.pipe import PipeClosed


class Reporting:
    """A child by its reports; `None`: silent, "": dies."""

    pid = 1

    def __init__(self, *reports: Any) -> None:
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


def test_the_waits_grow_up_to_a_maximum() -> None:
    assert [wait_before_start(n) for n in range(4)] == [1, 2, 4, 8]
    assert wait_before_start(1000) == LONGEST_WAIT_SECONDS
