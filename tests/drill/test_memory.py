from collections.abc import Callable

from drill.memory_drill import past_its_memory


def test_only_the_task_past_its_memory_limit_notices(perform: Callable[..., dict[str, float]]) -> None:
    assert perform(past_its_memory)["attempts"] == 3
