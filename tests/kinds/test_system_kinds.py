"""The kinds that tend the product itself, each performed as a worker does."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from tasks_app.kinds import system_check_endpoint, system_prune
from tasks_app.kinds.ordering import order_of
from tasks_app.kinds.system_check_endpoint import check_endpoint
from tasks_app.kinds.system_daily_report import report_daily
from tasks_app.kinds.system_prune import prune_all
from tasks_app.lifecycle.retry import retry
from tasks_app.lifecycle.submit import submit
from tasks_app.models import (
    Alert,
    Delivery,
    Document,
    Firing,
    ModelCall,
    QueueSample,
    Schedule,
    Status,
    StepResult,
    Task,
)
from tests.support.endpoint import ModelEndpoint
from tests.support.rows import make_task, make_user, make_worker

from .conftest import attempt

type Performed = Callable[[Any], Task]
LONG_AGO = Now() - timedelta(days=400)


@pytest.fixture
def performed(transactional_db: None) -> Performed:
    worker = make_worker("cpu")

    def go(kind: Any) -> Task:
        task = submit(order_of(kind, owner_id=None, values={})).task
        attempt(task, worker)
        return task

    return go


def ended(owner: Any, **fields: Any) -> Task:
    task = make_task(owner)
    values = {"status": Status.SUCCEEDED, "started_at": Now() - timedelta(minutes=5), "finished_at": Now(), **fields}
    Task.objects.filter(pk=task.pk).update(**values)
    return task


def test_a_store_that_cannot_be_listed_keeps_no_row_from_being_pruned(
    performed: Performed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in (LONG_AGO, Now()):
        figures = dict.fromkeys(("depth", "running", "workers", "arrivals", "completions", "oldest_seconds"), 0)
        QueueSample.objects.create(queue="gpu", at=at, **figures)

    def refuses(_folder: str) -> Any:
        raise PermissionError("no")

    monkeypatch.setattr(default_storage, "listdir", refuses)
    assert performed(prune_all).status == Status.FAILED
    assert QueueSample.objects.count() == 1


def test_pruning_removes_each_sort_of_what_is_old_and_says_how_many(performed: Performed) -> None:
    user = make_user()
    document = Document(owner=user, name="a", media_type="text/plain", size=1, sha256="s")
    document.file.save(f"documents/{document.pk}", ContentFile(b"x"), save=False)
    document.save(force_insert=True)
    Document.objects.update(created_at=LONG_AGO)
    old, young = ended(user, finished_at=LONG_AGO, document=document), ended(user)
    schedule = Schedule.objects.create(name="s", kind="test", interval=timedelta(days=1))
    Firing.objects.create(schedule=schedule, due_at=LONG_AGO, fired_at=LONG_AGO, outcome="fired", task=old)
    QueueSample.objects.create(
        queue="gpu", at=LONG_AGO, depth=0, running=0, workers=0, arrivals=0, completions=0, oldest_seconds=0
    )
    task = performed(prune_all)
    assert task.status == Status.SUCCEEDED
    gone = {name: count for name, count in task.load().items() if count}
    assert gone == {"tasks": 1, "documents": 1, "firings": 1, "samples": 1}
    assert set(Task.objects.all()) == {young, task}
    assert not default_storage.exists(str(document.file.name))


def test_a_prune_that_was_interrupted_goes_on_behind_what_it_walked(
    performed: Performed, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = make_user()
    for days in range(400, 405):
        ended(user, finished_at=Now() - timedelta(days=days))
    monkeypatch.setattr("tasks_app.lifecycle.prune.TASKS_AT_ONCE", 2)
    monkeypatch.setattr(system_prune, "STEP_SECONDS", 0.0001)
    walk, seen = system_prune.WALKS["tasks"], list[str]()

    def interrupted(after: str) -> Any:
        seen.append(after)
        if len(seen) == 2:
            raise ConnectionError("the cable was pulled")
        return walk(after)

    monkeypatch.setitem(system_prune.WALKS, "tasks", interrupted)
    task = performed(prune_all)
    assert (task.status, task.error_code) == (Status.FAILED, "error")
    retry(task.pk)
    attempt(task, make_worker("cpu"))
    assert seen.count("") == 1
    assert seen[1] == seen[2] != ""
    assert task.load()["tasks"] == 5


def test_an_endpoint_that_does_not_answer_is_one_alert_until_it_does(
    performed: Performed, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_check_endpoint, "PAUSE_SECONDS", 0.01)
    settings.LONGHAUL_OPERATOR_EMAILS = ["ops@example.org"]
    with ModelEndpoint() as endpoint:
        settings.MODEL_BASE_URL = endpoint.base_url
        assert performed(check_endpoint).load() == f"The model endpoint at {endpoint.base_url} answers."
        assert not Alert.objects.exists()
    for _ in range(2):
        assert "cannot be reached" in performed(check_endpoint).load()
    assert Alert.objects.open().get().rule == "endpoint"
    with ModelEndpoint() as endpoint:
        settings.MODEL_BASE_URL = endpoint.base_url
        performed(check_endpoint)
    assert not Alert.objects.open().exists()
    assert Delivery.objects.count() == 2


def test_the_daily_report_tells_what_happened_and_is_sent_once(performed: Performed, settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = ["ops@example.org", "night@example.org"]
    user = make_user("mallory")
    task = ended(user)
    ended(user, status=Status.FAILED, error_code="deadline_exceeded")
    ended(user, finished_at=Now() - timedelta(days=2))
    call = {"task": task, "attempt": 1, "endpoint": "e", "model_name": "m\r\nBcc: all", "content_key": "c"}
    ModelCall.objects.create(**call, idempotency_key="i", outcome="answered", prompt_tokens=70, completion_tokens=30)
    schedule = Schedule.objects.create(name="nightly", kind="test", interval=timedelta(days=1))
    Firing.objects.create(schedule=schedule, due_at=Now(), outcome="missed", reason="secret words")
    Alert.objects.create(rule="drain", subject="gpu", text="gpu: 40 tasks waiting.")
    text = performed(report_daily).load()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in (
        "1 test succeeded",
        "1 test failed as deadline_exceeded",
        f"0:05:00 test succeeded {task.pk}",
        "1 m Bcc: all: 70 tokens read, 30 written",
        "1 nightly: missed: nothing fired in time",
    ):
        assert line in lines, text
    assert "gpu: 1 waiting" not in text
    assert "still open: The backlog takes too long: gpu: gpu: 40 tasks waiting." in text
    assert "mallory" not in text
    assert "secret" not in text
    assert set(Delivery.objects.values_list("address", "body")) == {
        ("ops@example.org", text),
        ("night@example.org", text),
    }
    performed(report_daily)
    assert Delivery.objects.count() == 2


def test_a_report_of_a_day_without_anything_says_so(performed: Performed) -> None:
    text = performed(report_daily).load()
    assert "Finished tasks\n  nothing\n" in text
    assert "gpu: 0 waiting, done in 0 min; 0 at work" in text
    assert StepResult.objects.count() == 2
