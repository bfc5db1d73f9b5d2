"""Children, workers and their whole machine die; tasks do not."""

import os
import signal

import psutil  # type: ignore[import-untyped]
import pytest

from tasks_app.models import Attempt, Task
from tests.support.programs import Program

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def child_of(worker: Program) -> int:
    (child,) = worker.children()
    return int(child.pid)


def is_gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def work_folders(yard: Yard) -> list[str]:
    return [folder.name for folder in (yard.house.folder / "work").iterdir()]


def test_a_killed_child_costs_its_attempt_and_no_finished_step(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu")
    gate = yard.gate()
    task = yard.submit("steps", count=4, gate=str(gate), closed_at=3)
    yard.house.wait_until(lambda: yard.saved_steps(task) == 3)
    os.kill(child_of(worker), signal.SIGKILL)
    # No scheduler lives here that could rescue it.
    yard.house.wait_until(lambda: yard.outcomes(task)[0] == "lost", what="the death is noticed")
    yard.house.wait_until(lambda: len(yard.outcomes(task)) == 2, what="the next attempt begins")
    yard.house.wait_until(lambda: work_folders(yard) == [f"{task.pk}-2"], what="the dead child's folder is gone")
    gate.touch()
    yard.wait_for(task, "succeeded")
    assert yard.lines == ["step 0", "step 1", "step 2", "step 3"]
    assert yard.outcomes(task) == ["lost", "succeeded"]
    yard.house.wait_until(lambda: work_folders(yard) == [], what="no work folder is left")
    assert "was killed (SIGKILL)" in Attempt.objects.get(task=task, number=1).error_text


def test_a_poison_task_fails_after_three_children_and_frees_the_way(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    poison = yard.submit("poison")
    healthy = yard.submit("quick")
    yard.wait_for(poison, "failed", 90)
    yard.wait_for(healthy, "succeeded")
    assert poison.error_code == "interruptions_exhausted"
    assert "died 3 times" in poison.error_text
    assert yard.outcomes(poison) == ["lost"] * 3
    assert yard.lines == ["before", "poison", "poison", "poison", "quick"]


def test_a_killed_worker_takes_its_child_and_what_that_started_along(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu")
    yard.submit("parent")
    yard.house.wait_until(lambda: yard.lines)
    child, started = child_of(worker), int(yard.lines[0])
    worker.kill()
    yard.house.wait_until(lambda: is_gone(child))
    yard.house.wait_until(lambda: is_gone(started))


def test_a_child_whose_attempt_was_taken_is_killed_wherever_it_is_stuck(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu")
    task = yard.submit("stuck")
    yard.wait_for_line("stuck")
    child = child_of(worker)
    # As a rescue and the next claim would.
    Task.objects.filter(pk=task.pk).update(attempt=2)
    yard.house.wait_until(lambda: is_gone(child))
    healthy = yard.submit("quick")
    yard.wait_for(healthy, "succeeded")
    assert yard.outcomes(task) == [""]
