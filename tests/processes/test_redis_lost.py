"""Redis dies with all its data; the rows are the truth."""

import pytest

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Status

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def test_tasks_that_waited_when_redis_was_killed_and_emptied_all_end_once(yard: Yard) -> None:
    yard.house.scheduler()
    gate = yard.gate()
    yard.house.ready_worker("gpu")
    running = yard.submit("steps", count=2, gate=str(gate), closed_at=1)
    waiting = [yard.submit("steps", count=1) for _ in range(10)]
    yard.house.wait_until(lambda: yard.saved_steps(running) == 1)
    yard.house.redis.kill()
    waiting += [yard.submit("steps", count=1) for _ in range(5)]
    gate.touch()
    yard.wait_for(running, "succeeded")
    _a_new_task_and_a_stop_work_meanwhile(yard)
    yard.house.start_redis()
    waiting += [yard.submit("steps", count=1) for _ in range(5)]
    for task in waiting:
        yard.wait_for(task, "succeeded")
    assert [yard.outcomes(task) for task in [running, *waiting]] == [["succeeded"]] * 21
    assert yard.lines.count("step 0") == 22


def _a_new_task_and_a_stop_work_meanwhile(yard: Yard) -> None:
    gate = yard.gate()
    new = yard.submit("steps", count=3, gate=str(gate), closed_at=1)
    yard.house.wait_until(lambda: yard.saved_steps(new) == 1, what="a new task begins without Redis")
    assert cancel(new.pk) == Status.RUNNING
    gate.touch()
    yard.wait_for(new, "cancelled")
