"""How long a backlog lasts."""

import pytest

from tasks_app.monitoring.drain import drain_minutes


@pytest.mark.parametrize(
    ("depth", "completions", "minutes"),
    [(0, 0, 0), (0, 50, 0), (10, 100, 1), (100, 10, 100), (1, 600, 1 / 60)],
)
def test_it_is_the_depth_at_the_rate_of_the_last_ten_minutes(depth: int, completions: int, minutes: float) -> None:
    assert drain_minutes(depth=depth, completions=completions) == pytest.approx(minutes)


def test_no_end_is_in_sight_where_something_waits_and_nothing_was_done() -> None:
    assert drain_minutes(depth=1, completions=0) is None


def test_the_rate_may_be_of_another_time() -> None:
    assert drain_minutes(depth=10, completions=5, minutes=1) == 2
