"""The soft end of an attempt's time."""

import itertools
import time

import pytest

from tasks_app.exceptions import AttemptTimeUp
from tasks_app.work.interruption import Interruption
from tasks_app.work.soft_limit import shielded, soft_limit

# What is to be interrupted must have begun by then, on a loaded machine too.
SOON = 0.5


# pytest-timeout's alarm is the same signal.
pytestmark = pytest.mark.timeout(0)


def sleep(cleared: list[str]) -> None:
    try:
        time.sleep(60)
    finally:
        cleared.append("cleared up")


def compute() -> None:
    for number in itertools.count():
        try:
            number / 0
        except Exception:
            continue


def write(written: list[str]) -> None:
    with shielded():
        time.sleep(2 * SOON)
        with shielded():
            written.append("inner")
        written.append("outer")


def test_code_that_sleeps_gets_an_exception_and_its_finally_is_executed() -> None:
    interruption, cleared = Interruption(), list[str]()
    began = time.monotonic()
    with soft_limit(SOON, interruption), pytest.raises(AttemptTimeUp):
        sleep(cleared)
    assert cleared
    assert time.monotonic() - began < 30
    assert isinstance(interruption.reason, AttemptTimeUp)


def test_so_does_code_that_computes_and_swallows_exceptions() -> None:
    with soft_limit(SOON, Interruption()), pytest.raises(AttemptTimeUp):
        compute()


def test_a_write_under_way_is_completed_first() -> None:
    written = list[str]()
    with soft_limit(SOON, Interruption()), pytest.raises(AttemptTimeUp):
        write(written)
    assert written == ["inner", "outer"]


def test_nothing_comes_after_it_was_left() -> None:
    interruption = Interruption()
    with soft_limit(SOON, interruption):
        pass
    time.sleep(2 * SOON)
    assert interruption.reason is None
