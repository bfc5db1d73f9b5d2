"""An answer about the whole, in this process: real context, database and HTTP."""

from typing import Any

import pytest

from tasks_app.lifecycle.retry import retry
from tasks_app.models import Status, StepResult, Task
from tests.support import endpoint_behaviours as endpoint_does
from tests.support.documents import marker, marker_pdf, marker_txt
from tests.support.endpoint import ModelEndpoint

from .conftest import Generate

WHOLE_OF_12 = " ".join(f"R-{page:04}" for page in range(1, 13))


def steps(task: Task, name: str) -> list[StepResult]:
    return list(StepResult.objects.current().filter(task=task, name=name).order_by("index"))


def whole(task: Task) -> Any:
    return [step.load() for step in StepResult.objects.items().filter(task=task) if step.load().get("whole")]


def test_answers_are_combined_level_by_level_until_one_is_left(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(marker_pdf(12), unit="whole")
    assert (task.status, task.error_text) == (Status.SUCCEEDED, "")
    assert len(endpoint.calls) == 12 + 2 + 1
    assert [step.load()["pages"] for step in steps(task, "combine")] == [[1, 6], [7, 12], [1, 12]]
    assert [one["text"] for one in whole(task)] == [WHOLE_OF_12]
    assert (task.progress_done, task.progress_total) == (15, 15)


def test_the_merged_document_has_the_whole_first_and_the_pages_besides(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    merged = generate(marker_pdf(12), unit="whole").load()
    beginning = f"# report.pdf\n\n## The whole document\n\n{WHOLE_OF_12}\n\n## Page 1\n\nR-0001\n\n## Page 2"
    assert merged.startswith(beginning)
    assert merged.endswith("## Page 12\n\nR-0012\n\n")


def test_one_page_is_its_own_whole(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(marker_pdf(1), unit="whole")
    assert len(endpoint.calls) == 1
    assert [one["text"] for one in whole(task)] == ["R-0001"]
    assert "## The whole document\n\nR-0001" in task.load()


def test_the_total_is_right_from_the_first_page_on(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(1), [endpoint_does.status(401)])
    task = generate(marker_pdf(12), unit="whole")
    assert (task.status, task.progress_total) == (Status.FAILED, 15)


def test_a_page_that_failed_is_left_out_and_said_so(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(2), [endpoint_does.content_filter()])
    task = generate(marker_pdf(3), unit="whole")
    assert (task.status, task.failed_items) == (Status.SUCCEEDED, 1)
    assert [one["text"] for one in whole(task)] == ["R-0001 R-0003"]
    assert "> 1 part of it, named below, could not be taken into account." in task.load()


def test_a_retry_asks_for_the_failed_page_and_for_what_is_made_of_it(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    endpoint.script(marker(2), [endpoint_does.content_filter()])
    task = generate(marker_pdf(12), unit="whole")
    before = len(endpoint.calls)
    retry(task.pk)
    generate(task=task)
    assert (task.status, task.failed_items) == (Status.SUCCEEDED, 0)
    assert [one["text"] for one in whole(task)] == [WHOLE_OF_12]
    # The page, its group and the top: the other group stands.
    assert len(endpoint.calls) - before == 3


def test_a_combination_that_fails_leaves_the_pages_and_says_why(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script("R-0001", [endpoint_does.content_filter()])
    task = generate(marker_pdf(3), unit="whole")
    assert (task.status, task.progress_done, task.failed_items) == (Status.SUCCEEDED, 3, 1)
    assert "> The whole document has no answer: The model endpoint's content filter" in task.load()
    assert [step.load() for step in steps(task, "combine")] == [{"pages": [1, 3], "parts": [1, 3], "whole": True}]


def test_a_group_of_which_nothing_is_left_costs_no_call(generate: Generate, endpoint: ModelEndpoint) -> None:
    for page in range(1, 7):
        endpoint.script(marker(page), [endpoint_does.content_filter()])
    task = generate(marker_pdf(12), unit="whole")
    assert len(endpoint.calls) == 12 + 1 + 1
    assert (task.failed_items, task.progress_done) == (7, 8)
    assert [one["text"] for one in whole(task)] == [WHOLE_OF_12[6 * 7 :]]


def test_answers_that_do_not_fit_together_are_combined_in_smaller_groups(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    endpoint.script("R-0001", [endpoint_does.status(400, too_long())])
    task = generate(marker_pdf(4), unit="whole")
    assert (task.status, task.failed_items) == (Status.SUCCEEDED, 0)
    assert [one["text"] for one in whole(task)] == ["R-0001 R-0002 R-0003 R-0004"]
    # The refused call, two halves, and both together: one step.
    assert len(endpoint.calls) == 4 + 4
    assert len(steps(task, "combine")) == 1


def test_a_page_that_is_too_long_for_the_model_is_asked_about_in_halves(
    generate: Generate, endpoint: ModelEndpoint, settings: Any
) -> None:
    settings.LONGHAUL_CHUNK_TOKENS = 1000
    endpoint.script(marker(1), [endpoint_does.status(400, too_long())])
    task = generate(marker(1).encode() + b" and many words more" * 100, name="long.txt")
    assert (task.status, task.failed_items) == (Status.SUCCEEDED, 0)
    assert len(endpoint.calls) == 3
    assert steps(task, "generate")[0].load()["text"].count("R-") == 2
    assert task.progress_total == 1


def test_a_text_that_stays_too_long_fails_with_the_endpoints_reason(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    endpoint.script("", [endpoint_does.status(400, too_long())] * 100)
    task = generate(b"one two three four five six seven " * 20, name="notes.txt")
    assert task.status == Status.FAILED
    assert "too long for the model" in task.error_text


def test_parts_of_a_document_without_pages_are_counted(generate: Generate, endpoint: ModelEndpoint) -> None:
    text = marker_txt(4).replace(b"\f", b"\n\n")
    task = generate(text, name="notes.txt", unit="whole")
    parts = [step.load()["pages"] for step in steps(task, "generate")]
    assert parts == [None] * len(parts)
    assert whole(task)[0]["pages"] is None


def test_a_translation_of_the_whole_is_refused(generate: Generate) -> None:
    with pytest.raises(Exception, match="cannot be combined"):
        generate(marker_pdf(1), preset="translate", language="German", unit="whole")


def too_long() -> dict[str, Any]:
    return {"error": {"code": "context_length_exceeded", "message": "too long"}}
