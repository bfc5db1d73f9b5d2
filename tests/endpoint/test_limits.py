"""What all processes together may ask of the endpoint: at once, in a minute, in the order of their arrival."""

import itertools
import time

import pytest
from pytest_django import Settings
from redis import Redis

from tasks_app.endpoint.throttle import shared, throttle
from tasks_app.endpoint.throttle.shared import Outcome, Verdict
from tests.endpoint.throttles import Process, Ticket
from tests.support.programs import wait_until

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this Redis had been there for long."""
    monkeypatch.setattr(shared, "SETTLED_MS", 0)
    monkeypatch.setattr(shared, "LINGER_MS", 0)


def granted(tickets: list[Ticket]) -> int:
    return sum(ticket.is_granted for ticket in tickets)


def test_without_limits_everybody_goes(settings: Settings) -> None:
    assert granted([process.ask() for process in (Process(), Process()) for _ in range(50)]) == 100


def test_no_more_at_once_than_all_together_may(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 3
    one, other = Process(), Process()
    tickets = [process.ask() for process in (one, other, one, other, one)]
    assert [ticket.is_granted for ticket in tickets] == [True, True, True, False, False]
    one.end(tickets[0])
    assert other.ask_again(tickets[3]).is_granted
    assert not one.ask_again(tickets[4]).is_granted


def test_who_came_first_goes_first(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    one, other = Process(), Process()
    first = one.ask()
    second, third = other.ask(), one.ask()
    one.end(first)
    assert not one.ask().is_granted, "a newcomer stands behind those who wait"
    assert not one.ask_again(third).is_granted
    assert other.ask_again(second).is_granted
    assert second.answer.ask_again < third.answer.ask_again, "those in front ask more often"


def test_who_leaves_the_line_or_asks_no_more_holds_nobody_up(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    one, other = Process(), Process()
    first, leaves, dies, last = one.ask(), other.ask(), other.ask(), one.ask()
    other.end(leaves, Outcome.UNUSED)
    one.end(first)
    assert not one.ask_again(last).is_granted
    wait_until(lambda: one.ask_again(last).is_granted, 5, what="the dead one has left the line")
    assert not dies.is_granted


def test_a_process_that_dies_gives_its_share_back(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    monkeypatch.setattr(shared, "LIFE_MS", 400)
    dead, alive = Process(), Process()
    # It renews nothing any more.
    monkeypatch.setattr(dead.throttle, "_keep", lambda: None)
    assert dead.ask().is_granted
    ticket = alive.ask()
    assert not ticket.is_granted
    wait_until(lambda: alive.ask_again(ticket).is_granted, 5, what="its permit has lapsed")


def test_a_call_may_last_longer_than_its_permit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, redis: Redis
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    monkeypatch.setattr(shared, "LIFE_MS", 2000)
    monkeypatch.setattr(throttle, "RENEW_SECONDS", 0.1)
    process = Process()
    first, second = process.ask(), process.ask()
    until = time.monotonic() + 3
    while time.monotonic() < until:
        assert not process.ask_again(second).is_granted
        time.sleep(0.1)
    process.end(first)
    assert process.ask_again(second).is_granted


def test_the_endpoint_gets_a_moment_to_notice_the_end_of_a_call(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    monkeypatch.setattr(shared, "LINGER_MS", 1000)
    process = Process()
    process.end(process.ask())
    next_one = process.ask()
    assert not next_one.is_granted
    wait_until(lambda: process.ask_again(next_one).is_granted, 5, what="the moment is over")


def test_requests_of_a_minute(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 4
    monkeypatch.setattr(shared, "WINDOW_SECONDS", 3)
    processes = [Process(), Process()]
    moments: list[float] = []
    for process in itertools.islice(itertools.cycle(processes), 12):
        ticket = process.ask()
        wait_until(lambda: process.ask_again(ticket).is_granted, 10) if not ticket.is_granted else None  # noqa: B023
        moments.append(time.monotonic())
        process.end(ticket)
    gaps = [later - earlier for earlier, later in zip(moments, moments[4:], strict=False)]
    assert min(gaps) > 2, "two seconds and a margin of up to one"
    assert moments[4] - moments[0] < 2.9 + 1


def test_the_wait_for_the_minute_is_told(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 1
    process = Process()
    process.end(process.ask())
    answer = process.ask().answer
    assert 60 < answer.wait <= 63
    assert answer.ask_again <= 1


def test_tokens_are_booked_at_their_most_and_put_right_at_the_end(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE = 1000
    process = Process()
    first = process.ask(tokens=700)
    second = process.ask(tokens=700)
    assert (first.is_granted, second.is_granted) == (True, False)
    process.end(first, used=100)
    assert process.ask_again(second).is_granted
    assert not process.ask(tokens=250).is_granted


def test_a_request_larger_than_the_minute_goes_alone(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE = 1000
    process = Process()
    large = process.ask(tokens=5000)
    assert large.is_granted
    assert not process.ask(tokens=1).is_granted


def test_what_was_not_sent_counts_for_nothing(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 1
    settings.LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE = 100
    process = Process()
    process.end(process.ask(tokens=100), Outcome.UNUSED)
    assert process.ask(tokens=100).is_granted


def test_a_redis_that_begins_anew_lends_nobody_more_than_its_share(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, redis: Redis
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 4
    settings.LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = 100
    one, other = Process(), Process()
    held = [process.ask() for process in (one, other, one, other)]
    assert granted(held) == 4
    monkeypatch.setattr(shared, "SETTLED_MS", 3000)
    redis.flushall()
    assert one.ask().answer.verdict is Verdict.IN_LINE
    assert other.ask().answer.verdict is Verdict.IN_LINE


def test_what_is_in_hand_is_known_again_to_a_redis_that_begins_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, redis: Redis
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    monkeypatch.setattr(throttle, "RENEW_SECONDS", 0.1)
    process = Process()
    assert process.ask().is_granted
    redis.flushall()
    wait_until(lambda: redis.keys("*:held"), 5, what="its permit is renewed")
    assert not Process().ask().is_granted
