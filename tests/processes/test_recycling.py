"""What a task leaves behind in its process, no later task finds there."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from tasks_app.models import Attempt

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = "tests.support.kinds,tests.support.kinds_memory"


def result_of(yard: Yard, kind: str, **kwargs: Any) -> Any:
    # Room for the starts of some children on a busy machine.
    return yard.wait_for(yard.submit(kind, **kwargs), "succeeded", 90).load()


def test_what_can_be_reset_is_reset_and_the_process_stays(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_KIND_MODULES=KINDS)
    yard.house.ready_worker("gpu")
    before = result_of(yard, "look")
    following = result_of(yard, "changes")
    after = result_of(yard, "look")
    assert after.pop("number") not in {before.pop("number"), following}
    assert after == before


def test_who_leaves_something_alive_is_followed_by_a_new_process(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_KIND_MODULES=KINDS)
    worker = yard.house.ready_worker("gpu")
    pids = [result_of(yard, kind) for kind in ("leaves_thread", "leaves_program")]
    # What it wrote is undone with the transaction, so it did not succeed; its end is written outside of it.
    task = yard.wait_for(yard.submit("leaves_transaction"), "failed", 90)
    pids += [int(yard.lines[0]), result_of(yard, "look")["pid"]]
    assert len(set(pids)) == 4
    assert "transaction open" in task.error_text
    assert not get_user_model().objects.exists()
    for what in ("thread behind: forgotten", "program behind: sleep", "transaction open"):
        assert worker.said.count(f"makes way for a new one: its task left a {what}") == 1


def test_a_child_makes_way_for_its_age_its_mark_and_its_limit(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(
        LONGHAUL_KIND_MODULES=KINDS,
        LONGHAUL_GPU_TASKS_PER_CHILD="3",
        LONGHAUL_GPU_SOFT_MEMORY_MEGABYTES="200",
        LONGHAUL_GPU_MEMORY_MEGABYTES="400",
    )
    worker = yard.house.ready_worker("gpu")
    pids = [result_of(yard, "look")["pid"] for _ in range(4)]
    assert pids[0] == pids[2] != pids[3]
    assert "makes way for a new one: it has made 3 attempts" in worker.said
    assert result_of(yard, "grows", megabytes=200) == pids[3]
    task = yard.submit("grows_and_stays", megabytes=400)
    yard.house.wait_until(lambda: yard.outcomes(task)[:1] == ["memory"], 90, what="its attempt ends as memory")
    assert "its mark is 200 MB" in worker.said
    assert "more memory than its queue allows" in Attempt.objects.get(task=task, number=1).error_text
    assert result_of(yard, "look")["pid"] not in {pids[3], int(yard.lines[0])}
