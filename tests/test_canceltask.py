"""`manage.py canceltask`."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.support.rows import make_task, make_user, make_worker, start

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("canceltask", *arguments, stdout=out)
    return out.getvalue().strip()


def test_a_task_that_waits_is_cancelled() -> None:
    task = make_task(make_user())
    assert said(str(task.pk)) == "It is cancelled."
    task.refresh_from_db()
    assert task.status == "cancelled"


def test_one_that_is_worked_on_is_asked_and_with_force_marked() -> None:
    task = make_task(make_user())
    start(task, make_worker("gpu"))
    assert (
        said(str(task.pk))
        == "It was asked to stop: within a second in a model call, else at the end of the step in hand."
    )
    task.refresh_from_db()
    assert (task.status, task.cancel_is_forced) == ("running", False)
    assert "is killed in 5 s" in said(str(task.pk), "--force")
    task.refresh_from_db()
    assert (task.status, task.cancel_is_forced) == ("running", True)


def test_one_that_is_over_or_unknown_is_refused_with_a_sentence() -> None:
    task = make_task(make_user())
    said(str(task.pk))
    with pytest.raises(CommandError, match="is cancelled cannot be cancelled"):
        said(str(task.pk))
    with pytest.raises(CommandError, match="There is no task"):
        said(str(uuid.uuid4()))
