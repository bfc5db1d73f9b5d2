from collections.abc import Callable

from drill.stops import stops


def test_a_task_stops_wherever_it_is(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(stops)["queued"] < 10
