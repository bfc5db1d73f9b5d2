from collections.abc import Callable

from drill.limits import limits
from drill.long import long_task


def test_what_goes_past_a_limit_is_ended(perform: Callable[..., dict[str, float]]) -> None:
    figures = perform(limits)
    assert figures["in a sleep: ended after"] < figures["stuck in C code: gone after"]


def test_a_long_task_passes_through_several_attempts(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(long_task)["attempts"] >= 3
