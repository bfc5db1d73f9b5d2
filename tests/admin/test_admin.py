"""What operators see and do in Django admin."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from tasks_app.kinds.intake import take_in
from tasks_app.lifecycle.allowance import allowance_of
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import (
    Alert,
    AlertRule,
    ApiToken,
    Delivery,
    Firing,
    FiringOutcome,
    GroupAllowance,
    ModelCall,
    Outcome,
    QueueSample,
    QueueState,
    Schedule,
    Status,
    StepStatus,
    StepTries,
    Task,
    Worker,
)
from tests.support.rows import make_task, start

from .conftest import act

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def everything(user: Any, worker: Worker, settings: Any, tmp_path: Any) -> Task:
    """A row of every model, with hostile texts where a user or an endpoint can put them."""
    settings.MEDIA_ROOT = tmp_path
    file = SimpleUploadedFile("<img src=x onerror=alert(1)>.txt", b"hello")
    fields = {"instruction": SCRIPT}
    task = take_in(kind="document.generate", owner=user, fields=fields, file=file, idempotency_key="k").task
    worker.kinds = ["document.generate"]
    worker.save()
    ref = start(task, worker).ref
    failed = StepRecord(
        index=0, name="s", key="k", status=StepStatus.FAILED, error_code="error", error_text=SCRIPT, is_item=True
    )
    save_step(ref, failed)
    ModelCall.objects.create(
        owner=user, task=task, attempt=1, endpoint="http://e", model_name="m", content_key="c", answer={"text": SCRIPT}
    )
    ApiToken.issue(user.pk, name=SCRIPT)
    StepTries.objects.create(task=task, index=1, key="k", tries=2, attempt=1)
    end(ref, Ending(outcome=Outcome.ERROR, code="error", text=SCRIPT))
    _rows_of_the_house(task)
    task.refresh_from_db()
    return task


def _rows_of_the_house(task: Task) -> None:
    GroupAllowance.objects.create(group=Group.objects.create(name=SCRIPT))
    QueueState.objects.create(queue="gpu", paused_at=Now(), reason=SCRIPT)
    figures = {"depth": 1, "running": 0, "workers": 1, "arrivals": 1, "completions": 0, "oldest_seconds": 1}
    QueueSample.objects.create(queue="gpu", at=Now(), **figures)
    Alert.objects.create(rule=AlertRule.DRAIN, subject="gpu", text=SCRIPT)
    Delivery.objects.create(channel=Delivery.Channel.EMAIL, address="op@example.org", subject=SCRIPT, body=SCRIPT)
    schedule = Schedule.objects.create(name=SCRIPT, kind="test", cron="* * * * *")
    Firing.objects.create(schedule=schedule, due_at=Now(), outcome=FiringOutcome.FIRED, task=task, reason=SCRIPT)


def test_every_model_has_its_page(operator: Client, everything: Task) -> None:
    for model in apps.get_app_config("tasks_app").get_models():
        assert model in site._registry, f"{model.__name__} is not in the admin"
        name = f"admin:tasks_app_{model._meta.model_name}"
        assert operator.get(reverse(f"{name}_changelist")).status_code == 200
        row = model._default_manager.first()
        assert row is not None, f"no row of {model.__name__} to look at"
        page = operator.get(reverse(f"{name}_change", args=[row.pk]))
        assert page.status_code == 200
        assert SCRIPT not in page.text
        assert "<img src=x" not in page.text


def test_no_page_shows_a_tokens_hash(operator: Client, everything: Task) -> None:
    token = ApiToken.objects.get()
    page = operator.get(reverse("admin:tasks_app_apitoken_change", args=[token.pk]))
    assert token.digest not in page.text


def test_the_list_of_tasks_needs_the_same_queries_for_one_as_for_twenty(
    operator: Client, user: Any, django_assert_max_num_queries: Any
) -> None:
    for _ in range(20):
        make_task(user)
    with django_assert_max_num_queries(12):
        operator.get(reverse("admin:tasks_app_task_changelist"))


def test_cancel_ends_what_waits_and_asks_what_runs(operator: Client, user: Any, worker: Worker) -> None:
    running, waiting = make_task(user), make_task(user)
    start(running, worker)
    assert "2 tasks are asked to stop" in act(operator, "cancel_tasks", running, waiting).text
    running.refresh_from_db()
    waiting.refresh_from_db()
    assert (running.status, waiting.status) == (Status.RUNNING, Status.CANCELLED)
    assert running.cancel_requested_at is not None


def test_a_verb_that_the_state_does_not_allow_says_so_and_does_the_others(operator: Client, user: Any) -> None:
    waiting, cancelled = make_task(user), make_task(user)
    act(operator, "cancel_tasks", cancelled)
    page = act(operator, "retry_tasks", waiting, cancelled).text
    assert "1 task is waiting again" in page
    assert "cannot be retried" in page


def test_only_the_operators_priority_can_be_edited(operator: Client, user: Any, worker: Worker) -> None:
    task = make_task(user)
    address = reverse("admin:tasks_app_task_change", args=[task.pk])
    inline = {"attempts-TOTAL_FORMS": "0", "attempts-INITIAL_FORMS": "0"}
    operator.post(address, {"operator_priority": "5", "status": "succeeded", "attempt": "9", **inline})
    task.refresh_from_db()
    assert (task.operator_priority, task.status, task.attempt) == (5, Status.PENDING, 0)


def test_an_edit_does_not_undo_what_a_worker_did_meanwhile(operator: Client, user: Any, worker: Worker) -> None:
    from django.contrib.admin import ModelAdmin

    task = make_task(user)
    opened = Task.objects.get(pk=task.pk)
    start(task, worker)
    opened.operator_priority = 5
    admin: ModelAdmin[Task] = site._registry[Task]
    admin.save_model(None, opened, None, change=True)  # type: ignore[arg-type]
    task.refresh_from_db()
    assert (task.status, task.operator_priority) == (Status.RUNNING, 5)


def test_a_users_slots_can_be_set(operator: Client, user: Any) -> None:
    make_task(user)
    operator.post(reverse("admin:tasks_app_allowance_change", args=[user.pk]), {"owner": user.pk, "active_tasks": "2"})
    assert allowance_of([user.pk])[user.pk].active == 2


def test_a_user_who_is_no_operator_gets_no_admin(client: Client, user: Any) -> None:
    client.force_login(user)
    assert client.get(reverse("admin:tasks_app_task_changelist")).status_code == 302
