"""The plan of combinations: how many calls, over which parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.kinds.combining import count_combinations, sizes


@pytest.mark.parametrize(
    ("parts", "combinations"), [(0, 0), (1, 0), (2, 1), (8, 1), (9, 3), (64, 9), (200, 25 + 4 + 1)]
)
def test_the_number_of_combinations_is_known_before_the_first(parts: int, combinations: int) -> None:
    assert count_combinations(parts, together=8) == combinations


@given(st.integers(2, 5000), st.integers(2, 50))
def test_groups_hold_every_answer_once_and_none_is_alone(count: int, together: int) -> None:
    groups = sizes(count, together=together)
    assert sum(groups) == count
    assert max(groups) <= together
    assert min(groups) >= 2 or together == 2
    assert max(groups) - min(groups) <= 1


@given(st.integers(1, 5000), st.integers(2, 50))
def test_levels_end(count: int, together: int) -> None:
    assert count_combinations(count, together=together) < 2 * count
