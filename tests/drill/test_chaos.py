"""Something dies every few seconds."""

import itertools

import pytest

from drill import chaos
from drill.plan import plan
from drill.registry import Size

from .conftest import InShort

STRIKES = ["child", "worker", "Redis"]


def test_all_tasks_succeed_and_no_step_is_executed_twice(perform: InShort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEED", raising=False)
    figures = perform(chaos.chaos)
    assert figures["tasks succeeded"] == chaos.SCALES[Size.SHORT].tasks
    assert figures["seed"] == chaos.SHORT_SEED


def test_a_seed_strikes_again_as_it_did() -> None:
    first, again, other = (plan(seed, strikes=STRIKES, seconds=60, pause=(1, 3)) for seed in (7, 7, 8))
    assert first == again != other


def test_each_strike_comes_once_before_one_comes_again() -> None:
    strikes = plan(7, strikes=STRIKES, seconds=60, pause=(1, 3))
    turns = [{strike.what for strike in strikes[start : start + 3]} for start in range(0, len(strikes) - 3, 3)]
    assert turns == [set(STRIKES)] * len(turns)
    pauses = [later.at - earlier.at for earlier, later in itertools.pairwise(strikes)]
    assert min(pauses) >= 1
    assert max(pauses) <= 3
    assert all(0 <= strike.victim < 1 for strike in strikes)
