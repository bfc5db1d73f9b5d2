from collections.abc import Callable

from drill.endpoint_down import endpoint_down


def test_an_endpoint_that_fails_for_everyone_is_tried_by_one_at_a_time(
    perform: Callable[..., dict[str, float]],
) -> None:
    assert perform(endpoint_down)["calls until all knew"] < 40
