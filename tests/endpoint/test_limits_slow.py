"""An endpoint that is slow for some is not one that fails for everyone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from tasks_app.endpoint import CallTimeout, complete
from tasks_app.endpoint.throttle import shared
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import Behaviour, hang_before_headers, trickle

pytestmark = pytest.mark.usefixtures("redis")
CALLS = 6


def errors(endpoint: ModelEndpoint, settings: Settings, behaviour: Behaviour) -> list[BaseException | None]:
    """Of calls of several tasks, none of which is done in time."""
    settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = 2
    endpoint.always(behaviour)
    with ThreadPoolExecutor(CALLS) as lanes:
        calls = [lanes.submit(complete, MemoryContext(holder=f"task-{n}"), page(n)) for n in range(CALLS)]
    return [call.exception() for call in calls]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "SETTLED_MS", 0)


def test_answers_that_come_and_take_too_long_are_tries_of_their_steps(
    endpoint: ModelEndpoint, settings: Settings
) -> None:
    found = errors(endpoint, settings, trickle("chunks"))
    assert all(isinstance(error, CallTimeout) for error in found), "one who asks for much would stop everybody"
    endpoint.always(None)
    assert complete(MemoryContext(holder="somebody-else"), page(9)).text


def test_silence_is_the_endpoints_own(endpoint: ModelEndpoint, settings: Settings) -> None:
    found = errors(endpoint, settings, hang_before_headers())
    assert not all(isinstance(error, CallTimeout) for error in found)
