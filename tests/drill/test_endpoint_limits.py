from collections.abc import Callable

from drill.endpoint_limits import endpoint_limits


def test_several_workers_keep_to_the_endpoints_limits(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(endpoint_limits)["at once at most"] == 2
