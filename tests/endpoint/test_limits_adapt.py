"""How much at once after refusals, and whether the endpoint fails for everyone, as its answers teach it."""

import pytest
from pytest_django import Settings
from redis import Redis

from tasks_app.endpoint.throttle import shared
from tasks_app.endpoint.throttle.shared import Outcome, Verdict
from tests.endpoint.throttles import Process, Ticket
from tests.support.programs import wait_until

pytestmark = pytest.mark.usefixtures("redis")
FAILED, UNREACHED, REFUSED, ANSWERED = Outcome.FAILED, Outcome.UNREACHED, Outcome.REFUSED, Outcome.ANSWERED


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "SETTLED_MS", 0)
    monkeypatch.setattr(shared, "LINGER_MS", 0)
    monkeypatch.setattr(shared, "GRACE_MS", 0)


@pytest.fixture
def processes() -> tuple[Process, Process]:
    """Both were heard of."""
    both = (Process(), Process())
    for process in both:
        process.call()
    return both


def in_hand(process: Process, count: int) -> list[Ticket]:
    tickets = [process.ask() for _ in range(count)]
    assert all(ticket.is_granted for ticket in tickets)
    return tickets


def width(process: Process) -> int:
    """How much goes at once now: as much as is granted, given back again."""
    tickets = [process.ask() for _ in range(20)]
    for ticket in tickets:
        process.end(ticket, Outcome.UNUSED)
    return sum(ticket.is_granted for ticket in tickets)


def die(one: Process, other: Process) -> None:
    """The endpoint fails for everyone, and that is found out."""
    one.call(FAILED, task="a", request="1")
    other.call(FAILED, task="b", request="2")
    assert one.call(FAILED, task="c", request="3") is not None


def probe(process: Process, *, task: str = "a-task", within: float = 5) -> Ticket:
    """The permit of the one that tries whether the endpoint is back."""
    ticket = process.ask(task=task)
    wait_until(lambda: process.ask_again(ticket).is_granted, within, what="it may try")
    return ticket


# --- 429


def test_a_refusal_halves_what_goes_at_once_and_answers_widen_it_by_one_a_round() -> None:
    process = Process()
    tickets = in_hand(process, 8)
    process.end(tickets[0], REFUSED)
    for ticket in tickets[1:]:
        process.end(ticket, Outcome.NEUTRAL)
    assert width(process) == 4
    for expected in (5, 6):
        # Kept full for somewhat more than a round.
        tickets = in_hand(process, expected - 1)
        for _ in range(expected + 1):
            process.end(tickets.pop())
            tickets += in_hand(process, 1)
        for ticket in tickets:
            process.end(ticket, Outcome.NEUTRAL)
        assert width(process) == expected


def test_all_refusals_of_one_round_are_one() -> None:
    process = Process()
    for ticket in in_hand(process, 8):
        process.end(ticket, REFUSED)
    assert width(process) == 4


def test_it_never_sinks_below_one() -> None:
    process = Process()
    for _ in range(5):
        process.call(REFUSED)
    assert width(process) == 1


def test_a_set_limit_holds_again_when_it_is_reached(settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 2
    process = Process()
    for ticket in in_hand(process, 2):
        process.end(ticket, REFUSED)
    assert width(process) == 1
    process.call()
    assert width(process) == 2


def test_after_three_refusals_in_a_row_nobody_asks_before_the_earliest_wish() -> None:
    process = Process()
    for wish in (30.0, 20.0, 0.0):
        process.end(process.ask(), REFUSED, retry_after=wish)
    process.end(process.ask(), REFUSED, retry_after=25.0)
    assert 19 < Process().ask().answer.wait <= 20


def test_an_answer_between_ends_the_row_of_refusals() -> None:
    process = Process()
    for _ in range(5):
        process.end(process.ask(), REFUSED, retry_after=20.0)
        process.call()
    assert process.ask().is_granted


def test_one_request_that_is_told_to_wait_for_long_holds_nobody_up() -> None:
    process = Process()
    process.end(process.ask(), REFUSED, retry_after=3600)
    assert process.ask().is_granted


# --- Down


def test_a_poisoned_request_alone_never_counts_for_everyone(processes: tuple[Process, Process]) -> None:
    for _ in range(10):
        for process in processes:
            assert process.call(FAILED, task="poisoned", request="the same") is None
    assert processes[0].ask().is_granted


def test_a_poisoned_document_alone_never_counts_for_everyone(processes: tuple[Process, Process]) -> None:
    for number in range(10):
        for process in processes:
            assert process.call(FAILED, task="poisoned", request=f"page {number}") is None
    assert processes[0].ask().is_granted


def test_an_answer_between_shows_that_it_does_not_fail_for_everyone(processes: tuple[Process, Process]) -> None:
    one, other = processes
    for number in range(10):
        assert one.call(FAILED, task=f"{number}", request=f"{number}") is None
        other.call()


def test_one_process_whose_own_network_is_broken_does_not_stop_the_others(
    processes: tuple[Process, Process],
) -> None:
    broken, sound = processes
    for number in range(10):
        assert broken.call(UNREACHED, task=f"{number}", request=f"{number}") is None
    assert sound.ask().is_granted


def test_several_requests_of_several_tasks_and_processes_in_a_row_count_for_everyone(
    processes: tuple[Process, Process],
) -> None:
    die(*processes)
    for process in processes:
        assert process.ask().answer.verdict is Verdict.DOWN


def test_the_only_process_there_is_decides_alone() -> None:
    process = Process()
    assert process.call(UNREACHED, task="a") is None
    assert process.call(UNREACHED, task="a") is not None


def test_one_at_a_time_tries_whether_it_is_back(processes: tuple[Process, Process]) -> None:
    one, other = processes
    die(one, other)
    ticket = probe(one)
    assert [process.ask().answer.verdict for process in (one, other)] == [Verdict.DOWN] * 2
    assert one.end(ticket, FAILED) is not None
    assert other.ask().answer.verdict is Verdict.DOWN, "the next one waits for its time"
    ticket = probe(other)
    assert one.ask().answer.verdict is Verdict.DOWN


def test_pauses_between_tries_grow(processes: tuple[Process, Process], redis: Redis) -> None:
    die(*processes)
    waits = []
    for _ in range(3):
        waits.append(processes[0].ask().answer.wait)
        processes[0].end(probe(processes[1], within=10), FAILED)
    assert waits[0] < 0.6
    assert 0.6 < waits[1] < 1.1
    assert 1.1 < waits[2] < 2.1


def test_a_task_does_not_try_twice_in_a_row_where_another_waits(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "GRACE_MS", 60_000)
    one, other = processes
    die(one, other)
    one.end(probe(one, task="poisoned"), FAILED)
    ticket = probe(other, task="healthy")
    assert ticket.is_granted
    other.end(ticket, FAILED)
    wait = one.ask(task="healthy").answer.wait
    assert wait > 50
    assert one.ask(task="poisoned").answer.wait < 10


def test_the_first_answer_lets_one_go_then_two_then_three(processes: tuple[Process, Process]) -> None:
    one, other = processes
    die(one, other)
    one.end(probe(one), ANSWERED)
    widths = [width(other)]
    for _ in range(5):
        tickets = in_hand(other, widths[-1])
        other.end(tickets.pop())
        for ticket in tickets:
            other.end(ticket, Outcome.NEUTRAL)
        widths.append(width(one))
    # Wider by one a round: by one answer, then by two, then by three.
    assert widths == [1, 2, 2, 2, 3, 3]


def test_who_tries_and_dies_is_replaced(processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = processes
    die(one, other)
    monkeypatch.setattr(shared, "LIFE_MS", 500)
    monkeypatch.setattr(one.throttle, "_keep", lambda: None)
    probe(one)
    assert other.ask(task="another").answer.verdict is Verdict.DOWN
    assert probe(other, task="another").is_granted


def test_who_tries_and_is_stopped_is_replaced_at_once(processes: tuple[Process, Process]) -> None:
    one, other = processes
    die(one, other)
    one.end(probe(one), Outcome.NEUTRAL)
    assert other.ask(task="another").is_granted


def test_a_call_from_before_its_death_neither_revives_the_endpoint_nor_kills_it_again(
    processes: tuple[Process, Process],
) -> None:
    one, other = processes
    before = in_hand(one, 5)
    die(one, other)
    one.end(before.pop(), ANSWERED)
    assert one.ask().answer.verdict is Verdict.DOWN
    assert one.end(before.pop(), FAILED) is not None, "it failed because the endpoint fails for everyone"
    other.end(probe(other), ANSWERED)
    for ticket in before:
        assert one.end(ticket, FAILED) is not None, "the endpoint died while it was on its way"
    assert one.ask().is_granted


def test_a_refusal_shows_that_the_endpoint_is_back(processes: tuple[Process, Process]) -> None:
    one, other = processes
    die(one, other)
    one.end(probe(one), REFUSED)
    assert width(other) == 1


def test_the_more_are_at_work_the_more_must_fail(processes: tuple[Process, Process]) -> None:
    one, other = processes
    in_hand(one, 10)
    in_hand(other, 10)
    for number in range(5):
        assert one.call(FAILED, task=f"{number}", request=f"{number}") is None
    assert other.call(FAILED, task="x", request="x") is None
    assert one.ask().is_granted
