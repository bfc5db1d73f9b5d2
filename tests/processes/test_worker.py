"""A worker claims, its child works, and the rows say what came of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tasks_app.models import Worker
from tests.support.rows import make_worker

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_task_is_claimed_and_finished(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    task = yard.submit("steps", count=3)
    yard.wait_for(task, "succeeded")
    assert yard.lines == ["step 0", "step 1", "step 2"]
    assert yard.outcomes(task) == ["succeeded"]


def test_two_workers_never_take_the_same_task(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    yard.house.ready_worker("gpu")
    tasks = [yard.submit("steps", count=1, seconds=0.05) for _ in range(20)]
    for task in tasks:
        yard.wait_for(task, "succeeded")
    assert [yard.outcomes(task) for task in tasks] == [["succeeded"]] * 20
    assert yard.lines == ["step 0"] * 20


def test_a_worker_serves_only_the_queues_that_it_names(yard: Yard) -> None:
    yard.house.ready_worker("cpu")
    yard.house.ready_worker("gpu")
    task = yard.submit("quick", queue="cpu")
    yard.wait_for(task, "succeeded")
    attempt = task.attempts.get()
    assert attempt.worker is not None
    assert attempt.worker.queues == ["cpu"]


def test_its_row_tells_what_it_has_in_hand(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu")
    gate = yard.gate()
    task = yard.submit("held", gate=str(gate))
    yard.wait_for_line("held")
    row = Worker.objects.get(pid=worker.pid)
    assert (row.task_id_in_hand, row.attempt_in_hand) == (task.pk, 1)
    assert "test.held" in row.kinds
    gate.touch()
    yard.wait_for(task, "succeeded")
    yard.house.wait_until(lambda: not Worker.objects.filter(task_id_in_hand=task.pk).exists())
    # By one of its next heartbeats.
    yard.house.wait_until(lambda: Worker.objects.get(pk=row.pk).memory_bytes > 10_000_000)


def test_a_worker_whose_row_is_gone_registers_anew(yard: Yard) -> None:
    worker = yard.house.ready_worker("gpu")
    (row,) = Worker.objects.all()
    row.delete()
    yard.house.wait_until(lambda: Worker.objects.filter(pid=worker.pid).exclude(kinds=[]).exists())
    yard.wait_for(yard.submit("quick"), "succeeded")


def test_burst_leaves_when_nothing_is_left(yard: Yard) -> None:
    make_worker("gpu")
    tasks = [yard.submit("quick") for _ in range(2)]
    assert yard.house.worker("gpu", "--burst").wait(90) == 0
    assert [yard.outcomes(task) for task in tasks] == [["succeeded"]] * 2


def test_nothing_is_claimed_while_the_child_cannot_start(open_yard: Callable[..., Yard], tmp_path: Path) -> None:
    (tmp_path / "kinds_in_need.py").write_text(
        "from pathlib import Path\n"
        "if __import__('sys').argv[0].endswith('child.py') and not Path(__file__).with_name('mended').exists():\n"
        "    raise ImportError('half a deploy')\n"
        "from tests.support.kinds import quick\n"
    )
    yard = open_yard(LONGHAUL_KIND_MODULES="kinds_in_need", PYTHONPATH=str(tmp_path))
    worker = yard.house.worker("gpu")
    yard.house.wait_until(lambda: "ImportError: half a deploy" in worker.said, 90)
    task = yard.submit("quick")
    assert worker.is_alive
    (tmp_path / "mended").touch()
    yard.wait_for(task, "succeeded", 90)
    assert yard.outcomes(task) == ["succeeded"]
