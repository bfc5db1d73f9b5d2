from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from tasks_app.lifecycle import prune_rows
from tasks_app.models import Alert, Attempt, Delivery, Firing, IdempotencyKey, QueueSample, Schedule, Worker
from tests.support.rows import make_task, make_worker, silence

OLD, YOUNG = Now() - timedelta(days=7.1), Now() - timedelta(days=6.9)


def test_samples_go_when_they_are_old_a_chunk_at_a_time(db: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(prune_rows, "ROWS_AT_ONCE", 2)
    figures = dict.fromkeys(("depth", "running", "workers", "arrivals", "completions", "oldest_seconds"), 0)
    for at in (OLD, YOUNG):
        for queue in ("gpu", "cpu"):
            QueueSample.objects.create(queue=queue, at=at, **figures)
    assert prune_rows.prune_samples("").after == ""
    last = prune_rows.prune_samples("")
    assert (last.removed, last.after) == (0, None)
    assert QueueSample.objects.count() == 2


def test_an_open_alert_and_a_message_that_is_still_to_be_sent_stay(db: None) -> None:
    for number, moment in enumerate((OLD, YOUNG, None)):
        Alert.objects.create(rule="drain", subject=f"{number}", text="t", opened_at=OLD, resolved_at=moment)
        Delivery.objects.create(channel="email", address=f"{number}", body="b", created_at=OLD, done_at=moment)
    assert (prune_rows.prune_alerts("").removed, prune_rows.prune_deliveries("").removed) == (1, 1)
    assert list(Alert.objects.order_by("subject").values_list("subject", flat=True)) == ["1", "2"]
    assert list(Delivery.objects.order_by("address").values_list("address", flat=True)) == ["1", "2"]


def test_a_firing_stays_as_long_as_its_task(user: Any) -> None:
    schedule = Schedule.objects.create(name="s", kind="test", interval=timedelta(days=1))
    for days, task in ((9, None), (8, make_task(user)), (6, None)):
        due = Now() - timedelta(days=days)
        Firing.objects.create(schedule=schedule, due_at=due, fired_at=due, outcome="fired", task=task)
    assert prune_rows.prune_firings("").removed == 1
    assert Firing.objects.filter(task=None).count() == 1


def test_a_worker_that_is_gone_goes_where_no_attempt_names_it(user: Any) -> None:
    gone, named, live = (make_worker("gpu") for _ in range(3))
    for worker in (gone, named):
        silence(worker, seconds=8 * 86_400)
    Attempt.objects.create(task=make_task(user), number=1, worker=named)
    assert prune_rows.prune_workers("").removed == 1
    assert set(Worker.objects.all()) == {named, live}


def test_an_idempotency_key_goes_when_it_is_forgotten(user: Any) -> None:
    task = make_task(user)
    for hours in (23, 25):
        made = Now() - timedelta(hours=hours)
        IdempotencyKey.objects.create(owner=user, key=f"{hours}", body_hash="h", task=task, created_at=made)
    assert prune_rows.prune_idempotency_keys("").removed == 1
    assert IdempotencyKey.objects.get().key == "23"
