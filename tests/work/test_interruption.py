"""Why the attempt in hand should stop reaches sleeps, calls in flight and the next boundary."""

import threading
import time

import pytest

from tasks_app.exceptions import CancelRequested, HandOver, Interrupt
from tasks_app.work.interruption import Interruption


class Call:
    """A call in flight: why it was shut down."""

    def __init__(self) -> None:
        self.reason: BaseException | None = None

    def shut_down(self, reason: BaseException) -> None:
        self.reason = self.reason or reason


def test_nobody_asked() -> None:
    Interruption().raise_if_asked()


def test_the_next_boundary_raises_the_reason() -> None:
    interruption = Interruption()
    interruption.ask(CancelRequested())
    with pytest.raises(CancelRequested):
        interruption.raise_if_asked()


def test_a_sleep_wakes() -> None:
    interruption = Interruption()
    asking = threading.Timer(0.05, interruption.ask, [HandOver()])
    began = time.monotonic()
    asking.start()
    interruption.wait(60)
    asking.join()
    assert time.monotonic() - began < 30


def test_a_stop_shuts_down_what_is_in_flight() -> None:
    interruption, call, over = Interruption(), Call(), Call()
    with interruption.in_flight(over):
        pass
    with interruption.in_flight(call):
        interruption.ask(CancelRequested())
    assert isinstance(call.reason, CancelRequested)
    assert over.reason is None


def test_a_call_that_begins_after_the_stop_is_shut_down_too() -> None:
    interruption, call = Interruption(), Call()
    interruption.ask(CancelRequested())
    with interruption.in_flight(call):
        assert isinstance(call.reason, CancelRequested)


def test_a_hand_over_lets_calls_end_and_gives_way_to_a_stop() -> None:
    interruption, call = Interruption(), Call()
    with interruption.in_flight(call):
        interruption.ask(HandOver())
        assert call.reason is None
        interruption.ask(CancelRequested())
        assert isinstance(call.reason, CancelRequested)
    assert isinstance(interruption.reason, CancelRequested)


def test_the_first_reason_stands() -> None:
    interruption = Interruption()
    reasons: list[Interrupt] = [CancelRequested(), HandOver(), CancelRequested()]
    for reason in reasons:
        interruption.ask(reason)
    assert interruption.reason is reasons[0]
