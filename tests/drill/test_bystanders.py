"""Processes that hold no task die or hang: no call is repeated. Which database it is does not matter."""

from drill import hanging, kills
from drill.thirty import STEPS

from .conftest import InShort


def test_a_second_scheduler_does_what_the_killed_one_did(perform: InShort) -> None:
    assert perform(kills.scheduler_killed)["calls"] == STEPS


def test_a_page_that_polls_goes_on_when_the_web_is_back(perform: InShort) -> None:
    assert perform(kills.web_killed)["calls"] == STEPS


def test_a_task_goes_on_while_redis_is_killed_and_emptied(perform: InShort) -> None:
    assert perform(kills.redis_killed)["calls"] == STEPS


def test_nothing_that_a_user_does_waits_for_a_redis_that_hangs(perform: InShort) -> None:
    assert perform(hanging.redis_hangs)["submissions"] >= 3
