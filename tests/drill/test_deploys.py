from collections.abc import Callable

from drill.deploys import deploys


def test_a_document_outlives_the_workers_that_are_told_to_leave(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(deploys)["calls"] == 30
