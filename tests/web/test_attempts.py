"""The attempts of a task on its page: how each ended, in words."""

from typing import Any

from django.db.models.functions import Now
from django.test import Client

from tasks_app.models import Attempt, Outcome, Task
from tasks_app.web.shown_attempts import ShownAttempt
from tasks_app.web.words import OUTCOMES, REASONED
from tests.web.reading import visible
from tests.web.shelf import document_task


def attempts(task: Task, *outcomes: str, **fields: Any) -> Task:
    Attempt.objects.bulk_create(
        Attempt(
            task=task,
            number=number,
            outcome=outcome,
            finished_at=Now() if outcome else None,
            spent=outcome in (Outcome.ERROR, Outcome.MEMORY),
            **fields,
        )
        for number, outcome in enumerate(outcomes, start=1)
    )
    Task.objects.filter(pk=task.pk).update(attempt=len(outcomes))
    return task


def seen(client: Client, task: Task) -> list[str]:
    return visible(client.get(f"/tasks/{task.pk}/").text)


def test_several_attempts_are_listed_with_their_ends(client: Client, user: Any) -> None:
    task = attempts(
        document_task(user, status="running"), "timeout", "handed_over", "error", "", error_text="It broke."
    )
    said = seen(client, task)
    words = [
        "time was up, goes on",
        "its worker was updated, goes on",
        "failed: It broke.",
        "counts as failed attempt 1 of 3",
        "at work",
    ]
    assert [text for text in words if text not in said] == []
    assert "Attempts (" in said


def test_one_attempt_is_no_list(client: Client, user: Any) -> None:
    assert "Attempts (" not in seen(client, attempts(document_task(user, status="running"), ""))


def test_reasons_are_text(client: Client, user: Any) -> None:
    task = attempts(document_task(user, status="running"), "error", "", error_text="<script>alert(1)</script>")
    assert "<script>alert" not in client.get(f"/tasks/{task.pk}/").text
    assert "failed: <script>alert(1)</script>" in seen(client, task)


def test_every_outcome_has_its_words_and_no_other() -> None:
    assert set(OUTCOMES) == {*Outcome.values, "none", "timeout-counted"}
    assert set(REASONED) < set(OUTCOMES)


def test_a_free_end_says_nothing_of_counting() -> None:
    shown = ShownAttempt({"outcome": "handed_over", "counts": None, "text": "Its worker was told to leave."})
    assert (shown.end, shown.counted) == ("its worker was updated, goes on", "")


def test_a_timeout_that_counted_says_why() -> None:
    counts = {"as": "attempt", "number": 2, "of": 3}
    shown = ShownAttempt({"outcome": "timeout", "counts": counts, "text": "It did not end within its limit."})
    assert (shown.end, shown.counted) == (
        "time was up before anything new was finished",
        "counts as failed attempt 2 of 3",
    )


def test_one_that_was_lost_counts_apart() -> None:
    counts = {"as": "lost", "number": 1, "of": 3}
    shown = ShownAttempt({"outcome": "lost", "counts": counts, "text": "Its worker stopped answering."})
    assert shown.end == "interrupted: Its worker stopped answering."
    assert shown.counted == "counts as interruption 1 of 3"
