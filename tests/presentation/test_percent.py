from hypothesis import given
from hypothesis import strategies as st

from tasks_app.models import Status
from tasks_app.presentation import percent

NOT_SUCCEEDED = [status for status in Status if status != Status.SUCCEEDED]


def test_it_is_a_whole_number_rounded_down() -> None:
    assert percent(2, 3, "running") == 66


def test_nothing_is_known_before_the_total_is() -> None:
    assert percent(0, 0, "pending") is None


def test_a_task_that_succeeded_is_full_even_with_failed_parts_or_without_any() -> None:
    assert percent(198, 200, "succeeded") == 100
    assert percent(0, 0, "succeeded") == 100


@given(done=st.integers(0, 5000), total=st.integers(1, 5000), status=st.sampled_from(NOT_SUCCEEDED))
def test_no_other_state_is_ever_full(done: int, total: int, status: str) -> None:
    value = percent(done, total, status)
    assert value is not None
    assert 0 <= value <= 99


@given(done=st.integers(0, 5000), total=st.integers(1, 5000))
def test_it_never_falls_while_parts_are_done(done: int, total: int) -> None:
    before, after = percent(done, total, "running"), percent(done + 1, total, "running")
    assert before is not None
    assert after is not None
    assert before <= after
