"""`manage.py filltasks` makes tasks as the product itself would have left them."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from tasks_app.lifecycle import admission
from tasks_app.models import Attempt, ModelCall, Status, StepResult, Task
from tests.support.rows import make_worker


def fill(**numbers: int) -> None:
    call_command("filltasks", owner="ada", verbosity=0, **numbers)


def test_it_makes_as_many_as_were_asked_for_finished_over_a_month_and_waiting(db: None, capsys: Any) -> None:
    fill(finished=3000, waiting=100)
    assert "3000 finished and 100 waiting tasks in " in capsys.readouterr().out
    now = timezone.now()
    finished, waiting = Task.objects.finished(), Task.objects.pending()
    assert (finished.count(), waiting.count(), Task.objects.count()) == (3000, 100, 3100)
    ends = [task.finished_at for task in finished.order_by("finished_at") if task.finished_at]
    assert now - timedelta(days=31) < ends[0] < now - timedelta(days=29)
    assert now - timedelta(hours=2) < ends[-1] <= now
    assert {task.owner.get_username() for task in waiting.select_related("owner") if task.owner} == {"ada"}
    assert finished.values("owner").distinct().count() == 20
    assert {*finished.values_list("status", flat=True)} == {Status.SUCCEEDED, Status.FAILED, Status.CANCELLED}
    assert (Attempt.objects.count(), StepResult.objects.count(), ModelCall.objects.count()) == (150, 450, 450)
    assert sorted(Task.objects.values_list("pk", flat=True)) == list(
        Task.objects.order_by("created_at").values_list("pk", flat=True)
    )


def test_a_worker_would_take_them_and_a_page_shows_them(client: Client, db: None) -> None:
    fill(finished=50, waiting=20)
    make_worker("gpu", "cpu", kinds=("document.generate", "document.extract"))
    assert admission.admit_all() == 5
    owner = Task.objects.queued()[0].owner
    assert owner is not None
    client.force_login(owner)
    assert client.get("/api/tasks?status=succeeded").status_code == 200
    assert client.get("/").status_code == 200


def test_none_at_all_is_one_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="Say how many tasks"):
        fill()
    with pytest.raises(CommandError, match="Say how many tasks"):
        fill(finished=-1, waiting=3)
