"""The processes that hold a task die during it."""

from drill import kills
from drill.thirty import STEPS

from .conftest import InShort


def test_a_child_that_is_killed_costs_at_most_the_call_in_flight(perform: InShort) -> None:
    assert perform(kills.child_killed)["calls"] <= STEPS + 1


def test_a_worker_that_is_killed_with_its_group_costs_at_most_the_call_in_flight(perform: InShort) -> None:
    assert perform(kills.worker_killed)["calls"] <= STEPS + 1
