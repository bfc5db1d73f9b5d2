"""A tick that lasts longer than the scheduler's lock lives: no second one meanwhile, no lock taken from its owner."""

import signal
from pathlib import Path
from typing import Any

import pytest

from tasks_app.processes.lead import KEY, Lead, LeadLock
from tasks_app.redis_link import RedisLink
from tests.support.programs import PATIENCE_SECONDS, Program

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)

# The lock of these houses lives for 2 s.
LONG = {"LONGHAUL_KIND_MODULES": "tests.support.kinds_long_tick", "LONG_TICK_SECONDS": "5"}


class Schedulers:
    def __init__(self, yard: Yard, diary: Path) -> None:
        self._yard = yard
        self._diary = diary

    def start(self) -> Program:
        return self._yard.house.scheduler(**LONG, LONG_TICK_DIARY=str(self._diary))

    def wait_for(self, what: str, program: Program, times: int = 1) -> None:
        line = f"{what} {program.pid}"
        self._yard.house.wait_until(lambda: self.diary.count(line) >= times, 60, what=line)

    @property
    def diary(self) -> list[str]:
        return self._diary.read_text().splitlines() if self._diary.exists() else []


@pytest.fixture
def schedulers(yard: Yard, tmp_path: Path) -> Schedulers:
    return Schedulers(yard, tmp_path / "diary")


def test_no_second_tick_begins_while_one_goes_on(yard: Yard, schedulers: Schedulers) -> None:
    first = schedulers.start()
    schedulers.wait_for("begin", first)
    token = yard.house.redis_client.get(KEY)
    second = schedulers.start()
    yard.house.wait_until(lambda: "ticks every" in second.said, 30)
    schedulers.wait_for("end", first, times=3)
    assert {line for line in schedulers.diary if line.endswith(f" {second.pid}")} == set()
    assert yard.house.redis_client.get(KEY) == token


def test_who_was_frozen_in_a_tick_leaves_the_rest_of_it_and_the_lock_to_its_successor(
    yard: Yard, schedulers: Schedulers
) -> None:
    redis = yard.house.redis_client
    first = schedulers.start()
    schedulers.wait_for("begin", first)
    first.signal(signal.SIGSTOP)
    second = schedulers.start()
    schedulers.wait_for("begin", second)
    successor = redis.get(KEY)
    first.signal(signal.SIGCONT)
    yard.house.wait_until(lambda: "another scheduler leads by now" in first.said, 60)
    assert f"after {first.pid}" not in schedulers.diary
    schedulers.wait_for("after", second)
    first.stop()
    assert redis.get(KEY) == successor


def test_who_wakes_from_a_freeze_asks_before_it_goes_on(yard: Yard, settings: Any) -> None:
    """Also when its renewal, a thread that sleeps, has not woken yet: here it sleeps for 200 s."""
    settings.LONGHAUL_SCHEDULER_LOCK_SECONDS = 600
    first, second = (LeadLock(RedisLink(timeout=PATIENCE_SECONDS)) for _ in range(2))
    assert first.take() is Lead.OURS
    with first.kept() as is_lost:
        yard.house.redis_client.delete(KEY)
        assert second.take() is Lead.OURS
        assert not is_lost()
        first._renewed_at -= 601
        assert is_lost()
