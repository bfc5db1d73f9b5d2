from collections.abc import Callable

from drill.steps_twice import last_step_fails


def test_a_failing_step_repeats_no_finished_one(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(last_step_fails)["calls"] == 32
