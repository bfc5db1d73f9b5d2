import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from tasks_app.lifecycle import prune
from tasks_app.lifecycle.orphans import prune_document_files, prune_documents, prune_result_files
from tasks_app.lifecycle.prune import prune_answers, prune_steps, prune_tasks
from tasks_app.lifecycle.retention import Chunk
from tasks_app.models import (
    Attempt,
    Document,
    Firing,
    IdempotencyKey,
    ModelCall,
    Schedule,
    Status,
    StepResult,
    StepTries,
    Task,
)
from tests.support.rows import make_task

DAY = timedelta(days=1)
LONG_AGO = 1000


def walked(walk: Callable[[str], Chunk]) -> int:
    """What the whole walk removed."""
    after: str | None = ""
    removed = 0
    while after is not None:
        chunk = walk(after)
        removed, after = removed + chunk.removed, chunk.after
    return removed


def finished(owner: Any, status: Status = Status.SUCCEEDED, *, days: float = LONG_AGO, **fields: Any) -> Task:
    """A task that ended so long ago."""
    task = make_task(owner)
    code = "error" if status == Status.FAILED else ""
    Task.objects.filter(pk=task.pk).update(
        status=status, created_at=Now() - days * DAY, finished_at=Now() - days * DAY, error_code=code, **fields
    )
    task.refresh_from_db()
    return task


def with_parts(task: Task, *, days: float = LONG_AGO, file: str = "") -> Task:
    """An attempt, a step that is no item, an item, a superseded item, and two calls."""
    Attempt.objects.create(task=task, number=1)
    for index, (is_item, superseded) in enumerate([(False, False), (True, False), (True, True)]):
        StepResult.objects.create(
            task=task, index=index, name="one", key="k", is_item=is_item, superseded=superseded, status="succeeded",
            attempt=1, version=1, value="text", value_file=file if not index else "", created_at=Now() - days * DAY,
        )  # fmt: skip
    call = {"owner_id": task.owner_id, "task": task, "attempt": 1, "content_key": "c", "idempotency_key": "i"}
    for outcome in ("answered", "server_error"):
        answer = {"text": "x"} if outcome == "answered" else None
        ModelCall.objects.create(**call, outcome=outcome, answer=answer, prompt_tokens=7, sent_at=Now() - days * DAY)
    StepTries.objects.create(task=task, index=0, key="k", tries=1, attempt=1)
    return task


def stored(name: str, *, days: float = 2) -> str:
    default_storage.save(name, ContentFile(b"{}"))
    then = time.time() - days * 86_400
    os.utime(default_storage.path(name), (then, then))
    return name


def document(owner: Any, *, days: float) -> Document:
    made = Document(owner=owner, name="a.txt", media_type="text/plain", size=1, sha256="s")
    made.file.save(f"documents/{made.pk}", ContentFile(b"x"), save=False)
    made.save(force_insert=True)
    Document.objects.filter(pk=made.pk).update(created_at=Now() - days * DAY)
    return made


@pytest.mark.parametrize(
    ("status", "days"), [(Status.SUCCEEDED, 90), (Status.FAILED, 90), (Status.CANCELLED, 30)], ids=lambda one: str(one)
)
def test_a_finished_task_is_kept_as_long_as_its_state_says(user: Any, status: Status, days: int) -> None:
    kept, gone = finished(user, status, days=days - 0.1), finished(user, status, days=days + 0.1)
    assert walked(prune_tasks) == 1
    assert list(Task.objects.all()) == [kept]
    assert not Task.objects.filter(pk=gone.pk).exists()


def test_all_that_hangs_on_a_task_goes_with_it_and_its_files_after_it(user: Any) -> None:
    task = with_parts(finished(user), file=stored("results/x/0-1.json"))
    Task.objects.filter(pk=task.pk).update(value_file=stored(f"results/{task.pk}/result-1.json"))
    IdempotencyKey.objects.create(owner=user, key="k", body_hash="h", task=task)
    schedule = Schedule.objects.create(name="s", kind="test", interval=DAY)
    Firing.objects.create(schedule=schedule, due_at=Now(), outcome="fired", task=task)
    other = with_parts(finished(user, days=1))
    assert walked(prune_tasks) == 1
    for rows in (Attempt, StepResult, ModelCall, StepTries):
        assert set(rows._default_manager.values_list("task", flat=True)) == {other.pk}
    assert Firing.objects.get().task is None
    assert not default_storage.exists("results/x/0-1.json")
    assert not default_storage.exists(f"results/{task.pk}")


def test_an_active_task_is_never_touched_however_old(user: Any) -> None:
    for status in (Status.PENDING, Status.QUEUED, Status.RUNNING):
        task = make_task(user)
        Task.objects.filter(pk=task.pk).update(status=status, created_at=Now() - LONG_AGO * DAY)
        with_parts(task)
        stored(f"results/{task.pk}/9-1.json", days=LONG_AGO)
    for walk in (prune_tasks, prune_steps, prune_answers, prune_result_files):
        assert walked(walk) == 0
    assert (Task.objects.count(), StepResult.objects.count()) == (3, 9)


def test_a_task_that_is_retried_between_look_and_lock_stays(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = with_parts(finished(user, Status.FAILED))
    look = prune._due_behind

    def retried_after(after: str) -> Any:
        found = look(after)
        Task.objects.filter(pk=task.pk).update(status=Status.PENDING, finished_at=None, error_code="")
        return found

    monkeypatch.setattr(prune, "_due_behind", retried_after)
    assert walked(prune_tasks) == 0
    assert StepResult.objects.filter(task=task).count() == 3


def test_a_prune_that_died_before_the_files_leaves_none_behind(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = finished(user)
    Task.objects.filter(pk=task.pk).update(value_file=stored(f"results/{task.pk}/result-1.json"))

    def dies(_names: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(prune, "remove_files", dies)
    with pytest.raises(SystemExit):
        prune_tasks("")
    assert not Task.objects.exists()
    assert walked(prune_result_files) == 1
    assert not default_storage.exists(f"results/{task.pk}")


def test_a_walk_goes_on_behind_what_it_saw(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "TASKS_AT_ONCE", 2)
    tasks = [finished(user, days=LONG_AGO - number) for number in range(5)]
    first = prune_tasks("")
    assert first.removed == 2
    assert [task.pk for task in tasks[2:]] == list(Task.objects.order_by("finished_at").values_list("pk", flat=True))
    assert first.after is not None
    assert prune_tasks(first.after).removed == 2
    assert walked(prune_tasks) == 1


def test_tasks_of_one_moment_are_all_seen(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "TASKS_AT_ONCE", 2)
    for _ in range(5):
        finished(user)
    moment = Task.objects.first().finished_at  # type: ignore[union-attr]
    Task.objects.update(finished_at=moment)
    assert walked(prune_tasks) == 5


def test_a_chunk_is_bounded_by_what_hangs_on_its_tasks(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "PARTS_AT_ONCE", 100)
    for number in range(3):
        finished(user, days=LONG_AGO - number, progress_total=200 if not number else 60)
    assert [prune_tasks("").removed for _ in range(4)] == [1, 1, 1, 0]


def test_of_what_succeeded_long_ago_only_the_result_and_what_it_cost_stay(user: Any) -> None:
    file = stored("results/x/0-1.json")
    task = with_parts(finished(user, days=40), file=file)
    assert (walked(prune_steps), walked(prune_answers)) == (2, 1)
    assert list(StepResult.objects.values_list("index", "value")) == [(1, "text")]
    assert list(ModelCall.objects.order_by("pk").values_list("answer", "prompt_tokens")) == [(None, 7), (None, 7)]
    assert not default_storage.exists(file)
    assert Attempt.objects.filter(task=task).exists()


@pytest.mark.parametrize(
    "fields", [{"status": Status.FAILED}, {"status": Status.CANCELLED}, {"failed_items": 1}, {"days": 20}], ids=str
)
def test_what_a_retry_or_a_reader_may_still_want_stays(user: Any, fields: dict[str, Any]) -> None:
    with_parts(finished(user, **({"days": 40} | fields)))
    assert (walked(prune_steps), walked(prune_answers)) == (0, 0)
    assert StepResult.objects.count() == 3


def test_nothing_goes_while_its_answers_may_be_used_again(user: Any, settings: Any) -> None:
    settings.LONGHAUL_REUSE_ANSWERS_HOURS = 24 * (LONG_AGO + 1)
    with_parts(finished(user))
    assert [walked(walk) for walk in (prune_tasks, prune_steps, prune_answers)] == [0, 0, 0]


def test_a_check_of_each_minute_is_not_kept_as_long_as_a_users_task(user: Any) -> None:
    for owner in (user, None):
        task = finished(owner, days=8)
        Task.objects.filter(pk=task.pk).update(kind="system.check_endpoint")
    failed = finished(None, Status.FAILED, days=8)
    assert walked(prune_tasks) == 1
    assert set(Task.objects.values_list("owner", flat=True)) == {user.pk, None}
    assert Task.objects.filter(pk=failed.pk).exists()


def test_a_document_goes_when_no_task_needs_it_and_nobody_uploaded_it_today(user: Any) -> None:
    needed, young, free = document(user, days=9), document(user, days=0.9), document(user, days=1.1)
    task = finished(user, document=needed)
    stays = make_task(user, document=needed)
    assert walked(prune_tasks) == 1
    assert walked(prune_documents) == 1
    assert set(Document.objects.all()) == {needed, young}
    assert not default_storage.exists(str(free.file.name))
    assert default_storage.exists(str(needed.file.name))
    assert task.pk != stays.pk


def test_files_that_no_row_names_go_after_a_day(user: Any) -> None:
    gone = UUID("01a22d94-09c3-7000-a000-000000000000")
    task = with_parts(finished(user, days=1), file="")
    named = stored(f"results/{task.pk}/0-2.json")
    StepResult.objects.filter(task=task, index=0).update(value_file=named)
    lost, young = stored(f"results/{task.pk}/0-1.json"), stored(f"results/{task.pk}/1-1.json", days=0.5)
    of_nobody = stored(f"results/{gone}/0-1.json")
    foreign = stored("results/readme/notes.txt")
    assert walked(prune_result_files) == 2
    assert [default_storage.exists(name) for name in (named, lost, young, of_nobody, foreign)] == [
        *(True, False, True, False, True)
    ]


def test_uploads_and_drafts_that_never_became_a_row_go_after_a_day(user: Any, files: Path) -> None:
    kept = document(user, days=3)
    os.utime(default_storage.path(str(kept.file.name)), (1, 1))
    left, young, draft = stored("documents/left"), stored("documents/young", days=0.5), stored(".drafts/far.7.x")
    assert walked(prune_document_files) == 2
    there = [default_storage.exists(name) for name in (str(kept.file.name), left, young, draft)]
    assert there == [True, False, True, False]


def test_with_an_empty_store_there_is_nothing_to_do(db: None) -> None:
    walks = (prune_tasks, prune_steps, prune_answers, prune_documents, prune_result_files, prune_document_files)
    assert [walked(walk) for walk in walks] == [0] * 6
