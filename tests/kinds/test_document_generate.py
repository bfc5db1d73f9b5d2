"""The kind that ships, in this process: real context, database and HTTP."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.kinds.intake import take_in
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Attempt, ModelCall, Outcome, Status, StepResult, Task
from tests.support import endpoint_behaviours as endpoint_does
from tests.support.documents import encrypted_pdf, marker, marker_pdf, marker_txt, text_pdf, textless_pdf, zero_page_pdf
from tests.support.endpoint import ModelEndpoint
from tests.support.rows import make_user

from .conftest import Generate


def answers(task: Task) -> list[str]:
    return [step.load()["text"] for step in StepResult.objects.items().filter(task=task, status="succeeded")]


def test_every_page_is_called_once_and_merged_in_order(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(marker_pdf(12))
    assert (task.status, task.error_text) == (Status.SUCCEEDED, "")
    assert len(endpoint.calls) == 12
    assert answers(task) == [f"R-{page:04}" for page in range(1, 13)]
    merged = task.load()
    assert merged.startswith("# report.pdf\n\n## Page 1\n\nR-0001\n\n## Page 2\n\nR-0002")
    assert merged.count("R-0") == 12


def test_every_call_has_a_closed_row_with_its_tokens(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(marker_pdf(3))
    rows = ModelCall.objects.filter(task=task)
    assert {row.outcome for row in rows} == {"answered"}
    assert all(row.prompt_tokens and row.completion_tokens and row.closed_at for row in rows)
    assert {call.idempotency_key for call in endpoint.calls} == {row.idempotency_key for row in rows}


def test_at_most_as_many_calls_in_flight_as_the_setting_says(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.default(latency=0.05)
    generate(marker_pdf(12))
    assert endpoint.max_in_flight <= 4


def test_chunks_of_a_text_file(generate: Generate, endpoint: ModelEndpoint, settings: Any) -> None:
    settings.LONGHAUL_CHUNK_TOKENS = 130
    task = generate(marker_txt(10), name="notes.txt", unit="chunk")
    assert task.status == Status.SUCCEEDED
    assert 1 < len(endpoint.calls) < 10


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (textless_pdf(), "Pages 1–2: scanned, it seems"),
        (encrypted_pdf("secret", user_password="view"), "password"),
        (zero_page_pdf(), "no pages"),
        (b"%PDF-1.7 and then nothing that a PDF has", "damaged"),
    ],
)
def test_a_document_that_cannot_be_read_fails_without_a_call_or_a_retry(
    generate: Generate, endpoint: ModelEndpoint, content: bytes, sentence: str
) -> None:
    task = generate(content)
    assert (task.status, task.error_code) == (Status.FAILED, "invalid_input")
    assert sentence in task.error_text
    assert not endpoint.calls
    assert Attempt.objects.count() == 1


def test_a_document_that_is_gone_from_the_store_is_said_so(generate: Generate, store: Path) -> None:
    user = make_user("bob")
    file = SimpleUploadedFile("a.txt", b"hello")
    task = take_in(kind="document.generate", owner=user, fields={"preset": "summarise"}, file=file).task
    assert task.document is not None
    task.document.file.storage.delete(str(task.document.file.name))
    generate(task=task)
    assert task.error_code == "invalid_input"
    assert "missing from the store" in task.error_text


def test_an_endpoint_that_is_down_costs_nothing_and_says_why(generate: Generate, settings: Any) -> None:
    settings.MODEL_BASE_URL = "http://127.0.0.1:9/v1"
    task = generate(marker_pdf(3))
    last = Attempt.objects.get()
    assert (task.status, last.outcome, last.spent) == (Status.PENDING, Outcome.WAITING, False)
    assert "cannot be reached" in last.error_text
    assert task.available_at > task.created_at


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (endpoint_does.html(), "chat completion"),
        (endpoint_does.empty_text(), "without text"),
        (endpoint_does.status(500), "500"),
    ],
)
def test_a_page_whose_tries_are_spent_fails_alone_with_its_reason(
    generate: Generate, endpoint: ModelEndpoint, behaviour: Any, words: str
) -> None:
    endpoint.script(marker(2), [behaviour] * 3)
    task = generate(marker_pdf(3))
    assert (task.status, task.progress_done, task.failed_items) == (Status.SUCCEEDED, 2, 1)
    assert len(endpoint.calls_of(marker(2))) == 3
    failed = StepResult.objects.items().failed().get()
    assert words in failed.error_text
    assert failed.load() == {"pages": [2, 2]}
    assert "> Page 2 has no answer:" in task.load()


def test_an_answer_that_comes_at_the_second_try_is_simply_there(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(2), [endpoint_does.status(503)])
    task = generate(marker_pdf(3))
    assert (task.status, task.failed_items) == (Status.SUCCEEDED, 0)
    assert len(endpoint.calls) == 4
    keys = [call.idempotency_key for call in endpoint.calls_of(marker(2))]
    assert keys[0] != keys[1], "after a received error the key changes"


def test_a_refused_key_ends_the_task_at_the_first_call_and_a_retry_goes_on(
    generate: Generate, endpoint: ModelEndpoint, settings: Any
) -> None:
    settings.LONGHAUL_MODEL_CONCURRENCY = 1
    endpoint.script(marker(2), [endpoint_does.status(401)])
    task = generate(marker_pdf(4))
    assert (task.status, task.error_code, task.progress_done) == (Status.FAILED, "error", 1)
    assert "check MODEL_API_KEY" in task.error_text
    assert len(endpoint.calls) == 2
    retry(task.pk)
    generate(task=task)
    assert (task.status, task.progress_done, len(endpoint.calls)) == (Status.SUCCEEDED, 4, 2 + 3)


def test_a_retry_by_hand_calls_only_for_the_failed_page(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(2), [endpoint_does.status(500)] * 3)
    task = generate(marker_pdf(3))
    retry(task.pk)
    generate(task=task)
    assert (task.status, task.progress_done, task.failed_items) == (Status.SUCCEEDED, 3, 0)
    assert len(endpoint.calls) == 2 + 3 + 1
    assert "R-0002" in task.load()


def test_an_answer_saved_before_its_step_is_not_paid_again(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(marker_pdf(3))
    # What a crash between the answer and its step leaves.
    StepResult.objects.filter(name__in=["generate", "merge"]).delete()
    Task.objects.update(status=Status.FAILED, error_code="error", progress_done=0)
    retry(task.pk)
    generate(task=task)
    assert task.status == Status.SUCCEEDED
    assert len(endpoint.calls) == 3


def test_from_scratch_calls_for_every_page_again_with_new_keys(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(2), [endpoint_does.status(500)] * 3)
    task = generate(marker_pdf(2))
    retry(task.pk, from_scratch=True)
    generate(task=task)
    assert (task.status, task.progress_done, task.failed_items) == (Status.SUCCEEDED, 2, 0)
    keys = [call.idempotency_key for call in endpoint.calls]
    assert len(keys) == len(set(keys)) == 1 + 3 + 2


def test_an_answer_cut_off_at_the_limit_is_marked(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(1), [endpoint_does.text("Half of", finish="length")])
    task = generate(marker_pdf(2))
    assert StepResult.objects.items().order_by("index").first().load()["truncated"] is True  # type: ignore[union-attr]
    assert "cut off at the length limit" in task.load()


def test_a_page_without_text_is_named_in_the_result_and_costs_no_call(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    task = generate(text_pdf("PAGE-0001 words", "", "PAGE-0003 words"))
    assert (task.status, task.progress_total) == (Status.SUCCEEDED, 2)
    headings = [line for line in task.load().splitlines() if line]
    assert headings[1:] == [
        *("## Page 1", "R-0001"),
        *("## Page 2", "> Page 2 has no answer: no text on this page: it shows drawings only"),
        *("## Page 3", "R-0003"),
    ]
    assert len(endpoint.calls) == 2


@pytest.mark.parametrize("words", [4, 5000])
def test_a_document_of_too_many_parts_is_refused_before_any_call(
    generate: Generate, endpoint: ModelEndpoint, settings: Any, words: int
) -> None:
    settings.LONGHAUL_MAX_PARTS = 3
    task = generate("\f".join(["many words " * words] * 4).encode(), name="long.txt")
    assert (task.status, task.error_code) == (Status.FAILED, "invalid_input")
    assert "more than 3 parts" in task.error_text
    assert not endpoint.calls
