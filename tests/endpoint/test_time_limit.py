"""One call ends at its limit, whatever the endpoint does meanwhile, and the endpoint notices."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from tasks_app.endpoint import CallTimeout, complete
from tasks_app.exceptions import AttemptTimeUp, RetryableError
from tests.endpoint.conftest import check_message
from tests.endpoint.fakes import MemoryContext, page
from tests.support import endpoint_behaviours as does
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import Behaviour

# On a loaded machine the request must have arrived by then.
LIMIT_SECONDS = 2.0
HANGING = {
    "before headers": does.hang_before_headers(),
    "after headers": does.hang_after_headers(),
    "trickling text": does.trickle("chunks"),
    "trickling comments": does.trickle("comments"),
    "slow": does.ok(latency=30, pieces=6),
}
hanging = pytest.mark.parametrize("behaviour", HANGING.values(), ids=HANGING)


@hanging
def test_a_call_ends_at_its_limit(
    endpoint: ModelEndpoint, context: MemoryContext, settings: Settings, behaviour: Behaviour
) -> None:
    settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = LIMIT_SECONDS
    endpoint.script("PAGE-0001", [behaviour])
    began = time.monotonic()
    with pytest.raises(CallTimeout) as caught:
        complete(context, page(1))
    # Those that end by themselves do so after 30 s.
    assert LIMIT_SECONDS - 0.1 < time.monotonic() - began < 25
    assert isinstance(caught.value, RetryableError)
    assert context.outcomes == ["call_timeout"]
    check_message(str(caught.value))
    assert_left_alone(endpoint)


@hanging
def test_a_call_that_outlives_its_attempt_ends_with_it_and_stays_in_doubt(
    endpoint: ModelEndpoint, behaviour: Behaviour
) -> None:
    endpoint.script("PAGE-0001", [behaviour])
    context = MemoryContext(seconds=LIMIT_SECONDS)
    with pytest.raises(AttemptTimeUp):
        complete(context, page(1))
    assert context.time_left() > -23
    assert context.outcomes == [None]
    assert_left_alone(endpoint)


def test_the_limit_holds_for_a_call_after_a_good_one(
    endpoint: ModelEndpoint, context: MemoryContext, settings: Settings
) -> None:
    complete(context, page(2))
    settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = LIMIT_SECONDS
    endpoint.script("PAGE-0001", [does.hang_before_headers()])
    with pytest.raises(CallTimeout):
        complete(context, page(1))
    assert [call.closed_early for call in endpoint.calls_of("PAGE-0002")] == [False]


def test_a_server_that_takes_the_connection_and_nothing_else(context: MemoryContext, settings: Settings) -> None:
    settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = LIMIT_SECONDS
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for scheme in ("http", "https"):
            settings.MODEL_BASE_URL = f"{scheme}://127.0.0.1:{port}/v1"
            began = time.monotonic()
            with pytest.raises(CallTimeout):
                complete(context, page(1))
            assert time.monotonic() - began < 25


def test_the_end_of_one_lane_leaves_the_others_alone(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    endpoint.hold()
    with ThreadPoolExecutor(1) as lane:
        other = lane.submit(complete, context, page(2))
        endpoint.wait_for(lambda: endpoint.in_flight == 1)
        with pytest.raises(AttemptTimeUp):
            complete(MemoryContext(seconds=LIMIT_SECONDS), page(1))
        endpoint.release()
        assert other.result(timeout=45).text == "R-0002"


def assert_left_alone(endpoint: ModelEndpoint) -> None:
    """The endpoint saw the one connection go, at once, and no thread of the call is left."""
    endpoint.wait_for(lambda: endpoint.in_flight == 0)
    assert [call.closed_early for call in endpoint.calls] == [True]
    assert "model-call-limit" not in [thread.name for thread in threading.enumerate()]
