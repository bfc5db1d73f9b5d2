"""A call that waits for the endpoint's limits, or finds that it fails for everyone."""

import signal
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis

from tasks_app.endpoint import FailsForEveryone, ModelAnswer, ServerError, complete
from tasks_app.endpoint.throttle import shared, throttle
from tasks_app.endpoint.throttle.limits import Limits
from tasks_app.exceptions import HandOver, Postponed, Unavailable
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import status

pytestmark = pytest.mark.usefixtures("redis")
ANSWER = ModelAnswer("kept", "stop", 1, 1)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "SETTLED_MS", 0)


def test_lanes_of_calls_keep_to_what_goes_at_once(endpoint: ModelEndpoint, settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 2
    endpoint.default(latency=0.05)
    lanes = [threading.Thread(target=complete, args=[MemoryContext(), page(number)]) for number in range(12)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    assert (len(endpoint.calls), endpoint.max_in_flight) == (12, 2)


@pytest.fixture
def full(endpoint: ModelEndpoint, settings: Settings) -> Iterator[ModelEndpoint]:
    """All that may go at once is on its way."""
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    endpoint.hold("PAGE-0009")
    other = threading.Thread(target=complete, args=[MemoryContext(), page(9)])
    other.start()
    endpoint.wait_for(lambda: endpoint.in_flight == 1)
    yield endpoint
    endpoint.release("PAGE-0009")
    other.join()


def test_a_stop_ends_the_wait_at_once_and_nothing_is_written_down(full: ModelEndpoint) -> None:
    context = MemoryContext()
    stop = threading.Timer(0.3, context.interruption.ask, [HandOver()])
    stop.start()
    began = time.monotonic()
    with pytest.raises(HandOver):
        complete(context, page(1))
    assert 0.2 < time.monotonic() - began < 5
    assert (context.calls, len(full.calls)) == ([], 1)


def test_a_wait_that_is_too_long_for_the_attempt_costs_nothing(full: ModelEndpoint) -> None:
    context = MemoryContext(seconds=1)
    with pytest.raises(Postponed, match="limits leave no room") as postponed:
        complete(context, page(1))
    assert postponed.value.code == "endpoint_busy"
    assert postponed.value.delay is not None
    assert 2 <= postponed.value.delay <= 3
    assert context.time_left() > 0.3, "time enough to write the attempt's end"
    assert context.calls == []


def test_an_answer_that_is_there_already_waits_for_nobody(full: ModelEndpoint) -> None:
    assert complete(MemoryContext(saved=ANSWER), page(1)) == ANSWER


def test_where_it_fails_for_everyone_the_next_call_is_not_sent(endpoint: ModelEndpoint) -> None:
    endpoint.always(status(503))
    errors = []
    for number in range(3):
        with pytest.raises((ServerError, Unavailable)) as caught:
            complete(MemoryContext(holder=f"task {number}".replace(" ", "-")), page(number))
        errors.append(caught.value)
    assert [type(error) for error in errors] == [ServerError, ServerError, FailsForEveryone]
    assert "HTTP 503" in str(errors[2]), "it says what the last one said"
    context = MemoryContext()
    with pytest.raises(FailsForEveryone, match="fails for everyone"):
        complete(context, page(4))
    assert (context.calls, len(endpoint.calls)) == ([], 3)


def test_the_ledger_holds_what_the_call_itself_ended_with(endpoint: ModelEndpoint) -> None:
    endpoint.always(status(503))
    contexts = [MemoryContext(holder=f"task-{number}") for number in range(3)]
    for number, context in enumerate(contexts):
        with pytest.raises((ServerError, Unavailable)):
            complete(context, page(number))
    assert [context.outcomes for context in contexts] == [["server_error"]] * 3


def test_a_refused_request_is_an_answer_too(endpoint: ModelEndpoint) -> None:
    endpoint.always(status(503))
    for number in range(6):
        if number % 2:
            endpoint.script(f"PAGE-{number:04}", [status(400)])
        with pytest.raises(Exception, match="endpoint") as caught:
            complete(MemoryContext(holder=f"task-{number}"), page(number))
        assert not isinstance(caught.value, Unavailable)


@pytest.fixture
def hanging_redis(settings: Settings) -> Iterator[None]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        throttle._throttle.cache_clear()
        yield
    throttle._throttle.cache_clear()


def test_a_redis_that_hangs_costs_a_moment_once(endpoint: ModelEndpoint, hanging_redis: None) -> None:
    began = time.monotonic()
    for number in range(20):
        complete(MemoryContext(), page(number))
    # Each by itself would wait a quarter of a second.
    assert time.monotonic() - began < 4


def test_without_redis_a_process_keeps_to_its_share(
    endpoint: ModelEndpoint, settings: Settings, hanging_redis: None
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 16
    endpoint.default(latency=0.1)
    lanes = [threading.Thread(target=complete, args=[MemoryContext(), page(number)]) for number in range(8)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    # It never heard how many there are.
    assert (len(endpoint.calls), endpoint.max_in_flight) == (8, 16 // throttle.UNKNOWN_PROCESSES)


def test_the_share_is_that_of_the_processes_that_were_there(
    endpoint: ModelEndpoint, settings: Settings, redis: Redis
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 4
    complete(MemoryContext(), page(1))
    mine = throttle.throttle(endpoint=settings.MODEL_BASE_URL, model_name=settings.MODEL_NAME)
    assert mine._own(Limits.set()).at_once == 4, "it is the only one"


def test_a_call_that_is_cut_by_a_signal_gives_its_permit_back(endpoint: ModelEndpoint, settings: Settings) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1

    def stop(*_: object) -> None:
        raise HandOver

    before = signal.signal(signal.SIGALRM, stop)
    endpoint.hold("PAGE-0001")
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(HandOver):
            complete(MemoryContext(), page(1))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert complete(MemoryContext(), page(2)).text == "R-0002"
