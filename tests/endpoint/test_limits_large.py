"""Who wants much of a minute gets it."""

import time

import pytest
from pytest_django import Settings

from tasks_app.endpoint.throttle import shared
from tasks_app.endpoint.throttle.shared import Outcome
from tests.endpoint.throttles import Process

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this Redis had been there for long."""
    monkeypatch.setattr(shared, "SETTLED_MS", 0)
    monkeypatch.setattr(shared, "LINGER_MS", 0)


def test_who_wants_much_is_not_overtaken_for_ever(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE = 1000
    monkeypatch.setattr(shared, "WINDOW_SECONDS", 3)
    process, crowd = Process(), Process()

    def small() -> bool:
        ticket = crowd.ask(tokens=200)
        crowd.end(ticket, Outcome.ANSWERED if ticket.is_granted else Outcome.UNUSED, used=200)
        return ticket.is_granted

    # A crowd takes what there is, in every second some of it.
    for _ in range(4):
        small()
        time.sleep(0.7)
    large, until = process.ask(tokens=900), time.monotonic() + 12
    while not process.ask_again(large).is_granted:
        assert time.monotonic() < until, "those who came after it go first, for ever"
        small()
        time.sleep(0.1)


@pytest.mark.parametrize("at_once", [1, 2])
def test_who_is_beyond_the_share_of_its_process_holds_up_no_other(settings: Settings, at_once: int) -> None:
    """Redis has just begun anew: until a minute has passed each process keeps to its own share."""
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = at_once
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 4
    one, other = Process(), Process()
    for process in (one, other, one):
        process.call()
    beyond = one.ask()
    assert not beyond.is_granted
    assert not one.ask_again(beyond).is_granted
    other.call()
