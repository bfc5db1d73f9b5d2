"""What is in hand is renewed, and nothing else."""

import threading

import pytest
from pytest_django import Settings
from redis import Redis

from tasks_app.endpoint.throttle import shared, throttle
from tests.endpoint.throttles import Process
from tests.support.programs import wait_until

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this Redis had been there for long."""
    monkeypatch.setattr(shared, "SETTLED_MS", 0)
    monkeypatch.setattr(shared, "LINGER_MS", 0)


def test_a_renewal_that_is_late_does_not_bring_back_what_was_given_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LONGHAUL_ENDPOINT_CONCURRENCY = 1
    monkeypatch.setattr(throttle, "RENEW_SECONDS", 0.05)
    process, renewed = Process(), threading.Event()
    ticket = process.ask()
    keep = process.throttle._shared.keep

    def late(redis: Redis, permits: list[str]) -> int:
        # The call ends while its renewal is on its way.
        process.end(ticket)
        kept = keep(redis, permits)
        renewed.set()
        return kept

    monkeypatch.setattr(process.throttle._shared, "keep", late)
    assert renewed.wait(10)
    other = Process()
    waiting = other.ask()
    # Far less than the life of a permit.
    wait_until(lambda: waiting.is_granted or other.ask_again(waiting).is_granted, 3, what="nobody has it in hand")
    other.end(waiting)
