from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils.html import escape

from tasks_app.models import StepResult, Task, Worker
from tasks_app.web.words import STATES
from tests.web.reading import visible
from tests.web.shelf import document_task

HOSTILE = "</script><script>alert(1)</script>"


def page_of(client: Client, task: Task, query: str = "") -> Any:
    return client.get(f"/tasks/{task.pk}/{query}")


def test_it_shows_state_progress_and_results(client: Client, user: Any) -> None:
    page = page_of(client, document_task(user, status="running", items=2, total=8)).text
    assert STATES["running"] in page
    assert "2 of 8 pages" in page
    assert "25 %" in page
    assert "answer 0" in page
    assert "Page 2" in page


@pytest.mark.parametrize(
    ("status", "words", "buttons", "missing"),
    [
        ("pending", ["Waiting"], ["Stop"], ["Markdown"]),
        ("queued", ["In line"], ["Stop"], ["Markdown"]),
        ("running", ["Working"], ["Stop", "Download so far"], ["Retry what is missing"]),
        ("succeeded", ["Done", "Everything is done."], ["Markdown"], ["Stop", "Retry what is missing"]),
        ("cancelled", ["Stopped"], ["Retry what is missing", "Download what there is"], ["Stop"]),
    ],
)
def test_each_state_has_its_words_and_its_buttons(
    client: Client, user: Any, status: str, words: list[str], buttons: list[str], missing: list[str]
) -> None:
    items = 0 if status in {"pending", "queued"} else 2
    seen = visible(page_of(client, document_task(user, status=status, items=items)).text)
    assert [text for text in [*words, *buttons] if text not in seen] == []
    assert [text for text in missing if text in seen] == []


def test_a_failed_task_says_why(client: Client, user: Any) -> None:
    task = document_task(
        user, status="failed", items=1, total=3, error_code="attempts_exhausted", error_text="The endpoint is gone."
    )
    seen = visible(page_of(client, task).text)
    assert "The endpoint is gone." in seen
    assert "It could not be finished. What was finished is kept: a retry goes on from there." in seen
    assert "The finished results are thrown away. Everything is done again." in seen
    assert "Failed attempts" not in seen


def test_a_task_without_any_result_promises_none(client: Client, user: Any) -> None:
    task = document_task(user, status="failed", items=2, failed=[0, 1], error_code="error", error_text="It broke.")
    seen = visible(page_of(client, task).text)
    assert "It could not be finished." in seen
    assert "Everything is done again." in seen
    assert [text for text in ("Download what there is", "Retry what is missing") if text in seen] == []
    assert "Try again" in seen


def test_an_input_that_can_never_succeed_asks_for_another_file(client: Client, user: Any) -> None:
    task = document_task(user, status="failed", error_code="invalid_input", error_text="There is no text in it.")
    page = page_of(client, task).text
    assert "Submit another file" in visible(page)
    assert '<button class="plain" data-slot="retry">Try again</button>' in page
    assert "Or start from scratch" not in visible(page)


def test_a_task_that_was_stopped_before_it_began_can_be_started_again(client: Client, user: Any) -> None:
    seen = visible(page_of(client, document_task(user, status="cancelled", started_at=None)).text)
    assert "It was stopped at your request." in seen
    assert "Start it again" in seen
    assert "Or start from scratch" not in seen


def test_an_end_without_results_has_no_count_and_expects_none(client: Client, user: Any) -> None:
    page = page_of(client, document_task(user, status="cancelled")).text
    assert "There are no results." in visible(page)
    assert "Not counted yet" not in visible(page)
    assert 'aria-label="Progress" hidden>' in page


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"status": "running"}, True),
        ({"status": "running", "cancel_requested_at": Now()}, False),
        ({"status": "pending", "started_at": Now()}, False),
        ({"status": "cancelled"}, False),
    ],
)
def test_what_it_is_at_is_said_only_while_it_works(
    client: Client, user: Any, fields: dict[str, Any], shown: bool
) -> None:
    task = document_task(user, progress_message="Working on the parts", **fields)
    assert ("Working on the parts" in visible(page_of(client, task).text)) is shown


def test_a_task_between_two_attempts_is_not_told_that_it_will_start(client: Client, user: Any) -> None:
    seen = visible(page_of(client, document_task(user, started_at=Now())).text)
    assert "It has begun already, and goes on by itself." in seen
    assert "It is safe here and will start when it is its turn." not in seen


def test_failed_items_are_named_with_their_reason(client: Client, user: Any) -> None:
    page = page_of(client, document_task(user, status="succeeded", items=3, failed=[1])).text
    assert [text for text in ("Done with gaps", "reason 1", "Page 2") if text not in visible(page)] == []
    assert [text for text in visible(page) if "pages" in text and "[" in text] == []
    assert 'href="#step-1"' in page


def test_a_waiting_task_says_what_it_waits_for(client: Client, user: Any) -> None:
    assert "No worker for gpu is ready." in page_of(client, document_task(user)).text


def test_a_task_that_nobody_knows_how_to_do_is_not_told_that_its_turn_comes(
    client: Client, user: Any, worker: Worker
) -> None:
    seen = visible(page_of(client, document_task(user)).text)
    assert "It is safe here and starts when a worker comes that can do it." in seen
    assert any("No running worker knows this kind of task (document.generate)." in text for text in seen)


def test_cut_answers_are_marked(client: Client, user: Any) -> None:
    task = document_task(user, status="succeeded", items=1)
    StepResult.objects.filter(task=task).update(value={"pages": [1, 1], "text": "half", "truncated": True})
    assert "The model’s answer was cut off at its length limit." in visible(page_of(client, task).text)


def test_it_reloads_itself_without_scripts_until_the_end(client: Client, user: Any) -> None:
    refresh = '<noscript><meta http-equiv="refresh"'
    assert refresh in page_of(client, document_task(user, status="running")).text
    assert refresh not in page_of(client, document_task(user, status="succeeded", items=1)).text


def test_a_long_result_goes_on_further_pages(client: Client, user: Any) -> None:
    task = document_task(user, status="succeeded", items=600)
    seen: list[int] = []
    query = ""
    while True:
        page = page_of(client, task, query)
        seen += [step.data["index"] for step in page.context["steps"]]
        if page.context["more_after"] is None:
            break
        query = f"?after={page.context['more_after']}"
    assert seen == list(range(600))


@pytest.mark.parametrize("after", ["-5", "x", "9" * 40, "²"])
def test_a_page_number_that_is_none_leads_to_the_beginning(client: Client, user: Any, after: str) -> None:
    page = page_of(client, document_task(user, status="succeeded", items=1), f"?after={after}")
    assert page.status_code == 200
    assert "answer 0" in page.text


def test_a_stranger_finds_nothing(other: Client, user: Any) -> None:
    page = page_of(other, document_task(user, name="secret.pdf"))
    assert page.status_code == 404
    assert "There is nothing here" in page.text
    assert "secret.pdf" not in page.text


def test_no_login_leads_to_the_login_page(nobody: Client, user: Any) -> None:
    task = document_task(user)
    assert page_of(nobody, task).headers["Location"] == f"/login/?next=/tasks/{task.pk}/"


def test_it_is_kept_by_no_cache(client: Client, user: Any) -> None:
    assert "no-store" in page_of(client, document_task(user)).headers["Cache-Control"]


def test_hostile_texts_are_text(client: Client, user: Any) -> None:
    task = document_task(user, status="failed", items=2, failed=[1], error_code="error", error_text=HOSTILE)
    Task.objects.filter(pk=task.pk).update(
        progress_message=HOSTILE, payload={"kwargs": {"preset": "own", "instruction": HOSTILE}}
    )
    StepResult.objects.filter(task=task, index=0).update(value={"text": HOSTILE})
    StepResult.objects.filter(task=task, index=1).update(error_text=HOSTILE)
    page = page_of(client, task).text
    assert "<script>alert" not in page
    assert page.count(escape(HOSTILE)) == 4
