import json
from typing import Any

import pytest

from tasks_app.models import AttemptRef, Task, Worker
from tasks_app.presentation.results import ITEMS_AT_ONCE, render

from .rows import begin, fail, make_document_task, save_answer, save_failure, save_value, succeed


@pytest.fixture
def ref(user: Any, worker: Worker) -> AttemptRef:
    return begin(make_document_task(user, "Größe 漢.pdf"), worker, total=3)


def task_of(ref: AttemptRef) -> Task:
    return Task.objects.get(pk=ref.task_id)


def text_of(task: Task, fmt: Any, *, partial: bool) -> str:
    return "".join(render(task, fmt, partial=partial))


def three_items(ref: AttemptRef) -> None:
    """Saved out of order, one failed, one cut off."""
    save_answer(ref, 3, "Drei 🙂", truncated=True, pages=(3, 3))
    save_value(ref, 0, [], is_item=False, name="split")
    save_failure(ref, 2, "The filter stopped it.", pages=(2, 2))
    save_answer(ref, 1, "Line\u2028one", pages=(1, 1))


def test_jsonl_is_one_line_an_item_in_order(ref: AttemptRef) -> None:
    three_items(ref)
    lines = text_of(succeed(ref, "# all"), "jsonl", partial=False).split("\n")
    assert lines.pop() == ""
    items = [json.loads(line) for line in lines]
    assert items[0] == {
        "index": 1,
        "name": "generate",
        "pages": [1, 1],
        "parts": None,
        "whole": False,
        "status": "succeeded",
        "text": "Line\u2028one",
        "error": None,
        "truncated": False,
    }
    assert items[1]["error"] == {"code": "content_filter", "message": "The filter stopped it."}
    assert (items[1]["pages"], items[1]["text"]) == ([2, 2], None)
    assert (items[2]["text"], items[2]["truncated"]) == ("Drei 🙂", True)


def test_json_names_the_task_and_its_document(ref: AttemptRef) -> None:
    three_items(ref)
    task = succeed(ref, "# all")
    data = json.loads(text_of(task, "json", partial=False))
    assert (data["id"], data["kind"], data["status"], data["partial"]) == (str(task.pk), "test", "succeeded", False)
    assert data["document"] == {"id": str(task.document_id), "name": "Größe 漢.pdf"}
    assert [item["index"] for item in data["items"]] == [1, 2, 3]


def test_json_without_items_is_json_all_the_same(ref: AttemptRef) -> None:
    assert json.loads(text_of(task_of(ref), "json", partial=True))["items"] == []
    assert text_of(task_of(ref), "jsonl", partial=True) == ""


def test_markdown_of_a_task_that_succeeded_is_its_merged_value(ref: AttemptRef) -> None:
    three_items(ref)
    assert text_of(succeed(ref, "# all\n"), "md", partial=False) == "# all\n"


def test_partial_markdown_says_how_much_there_is(ref: AttemptRef) -> None:
    three_items(ref)
    assert text_of(task_of(ref), "md", partial=True) == (
        "> Partial result: 2 of 3 parts.\n\n"
        "# Größe 漢.pdf\n\n"
        "## Page 1\n\nLine\u2028one\n\n"
        "## Page 2\n\n> Page 2 has no answer: The filter stopped it.\n\n"
        "## Page 3\n\nDrei 🙂\n\n> The answer was cut off at the length limit.\n\n"
    )


def test_markdown_is_merged_again_where_the_merged_file_is_gone(ref: AttemptRef) -> None:
    save_answer(ref, 0, "One.")
    task = succeed(ref)
    Task.objects.filter(pk=task.pk).update(value_file="results/gone.json")
    assert "## Page 1\n\nOne.\n\n" in text_of(task_of(ref), "md", partial=False)


def test_an_item_whose_file_is_gone_says_so(ref: AttemptRef) -> None:
    save_value(ref, 0, {"value": None, "value_file": "results/gone.json"})
    item = json.loads(text_of(task_of(ref), "jsonl", partial=True))
    assert item["error"]["code"] == "file_missing"
    assert "> Part 1 has no answer: The stored answer" in text_of(task_of(ref), "md", partial=True)


def test_items_that_are_no_texts_come_as_values(ref: AttemptRef) -> None:
    save_value(ref, 0, {"score": 3})
    assert json.loads(text_of(task_of(ref), "jsonl", partial=True))["value"] == {"score": 3}
    assert '"score": 3' in text_of(task_of(ref), "md", partial=True)


def test_superseded_items_are_not_delivered(ref: AttemptRef) -> None:
    save_answer(ref, 0, "kept")
    save_answer(ref, 1, "left over")
    assert "left over" not in text_of(succeed(ref, visited=1), "jsonl", partial=False)


def test_what_a_failed_task_had_done_is_delivered(ref: AttemptRef) -> None:
    save_answer(ref, 0, "One.")
    data = json.loads(text_of(fail(ref), "json", partial=True))
    assert (data["status"], data["partial"], len(data["items"])) == ("failed", True, 1)


def test_many_items_are_read_a_batch_at_a_time(ref: AttemptRef, django_assert_max_num_queries: Any) -> None:
    count = ITEMS_AT_ONCE + 5
    for index in range(count):
        save_answer(ref, index, f"text {index}")
    task = succeed(ref)
    with django_assert_max_num_queries(3):
        lines = text_of(task, "jsonl", partial=False).splitlines()
    assert [json.loads(line)["index"] for line in lines] == list(range(count))


@pytest.mark.parametrize(("fmt", "words"), [("json", '"value": {"total": 7}'), ("md", '"total": 7'), ("jsonl", "")])
def test_a_value_that_is_no_text_is_delivered_where_no_item_tells_of_it(ref: AttemptRef, fmt: str, words: str) -> None:
    assert words in text_of(succeed(ref, {"total": 7}), fmt, partial=False)


def test_json_of_a_kind_without_items_holds_its_text(ref: AttemptRef) -> None:
    data = json.loads(text_of(succeed(ref, "Said."), "json", partial=False))
    assert (data["value"], data["items"]) == ("Said.", [])


def test_combinations_are_named_in_a_partial_document(ref: AttemptRef) -> None:
    save_answer(ref, 1, "One.", pages=(1, 1))
    combined = {"pages": [1, 8], "parts": [1, 8], "text": "Some together.", "truncated": False}
    save_value(ref, 2, {**combined, "whole": False}, name="combine")
    save_value(ref, 3, {**combined, "pages": None, "whole": False}, name="combine")
    save_value(ref, 4, {**combined, "whole": True}, name="combine")
    partial = text_of(task_of(ref), "md", partial=True)
    headings = [line for line in partial.splitlines() if line.startswith("## ")]
    assert headings == ["## Page 1", "## Pages 1–8 together", "## Parts 1–8 together", "## The whole document"]
