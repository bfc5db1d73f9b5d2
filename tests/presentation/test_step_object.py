import json
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tasks_app.api.schemas import StepOut
from tasks_app.models import AttemptRef, Worker
from tasks_app.presentation import step_object
from tasks_app.work.values import preview
from tests.support.rows import make_task

from .rows import begin, save_answer, save_failure, save_value


@pytest.fixture
def ref(user: Any, worker: Worker) -> AttemptRef:
    return begin(make_task(user), worker)


def store(data: Any, name: str) -> dict[str, Any]:
    """Columns of a value that lies in a file."""
    return {"value": None, "value_file": default_storage.save(name, ContentFile(json.dumps(data).encode()))}


def test_an_item_shows_its_pages_and_text(ref: AttemptRef) -> None:
    data = json.loads(json.dumps(step_object(save_answer(ref, 2, "Grüße 🙂", pages=(3, 4), truncated=True))))
    StepOut.model_validate(data)
    shown = {name: data[name] for name in ("index", "is_item", "status", "pages", "text", "value", "cut", "truncated")}
    assert shown == {
        "index": 2,
        "is_item": True,
        "status": "succeeded",
        "pages": [3, 4],
        "text": "Grüße 🙂",
        "value": None,
        "cut": False,
        "truncated": True,
    }
    assert data["error"] is None


def test_a_failed_item_shows_why(ref: AttemptRef) -> None:
    data = step_object(save_failure(ref, 0, "The filter stopped it.", pages=(7, 7)))
    assert data["error"] == {"code": "content_filter", "message": "The filter stopped it."}
    assert (data["status"], data["pages"], data["text"]) == ("failed", [7, 7], None)


@pytest.mark.parametrize("value", [{"pages": "x"}, {"pages": [1]}, {"pages": ["a", "b"]}, [1, 2], 7, None, {"text": 5}])
def test_a_value_that_is_no_text_is_shown_as_it_is(ref: AttemptRef, value: Any) -> None:
    data = step_object(save_value(ref, 0, value))
    assert (data["value"], data["text"], data["pages"], data["cut"]) == (value, None, None, False)


def test_a_big_value_is_left_out(ref: AttemptRef) -> None:
    data = step_object(save_value(ref, 0, ["x" * 20_000], is_item=False, name="merge"))
    assert (data["value"], data["cut"]) == (None, True)


def test_a_long_text_is_cut_between_two_characters(ref: AttemptRef) -> None:
    text = "a" + "é" * 20_000
    data = step_object(save_answer(ref, 0, text))
    assert data["cut"] is True
    assert text.startswith(data["text"])
    assert 15_900 < len(data["text"].encode()) <= 16 * 1024


def test_the_text_of_an_item_in_a_file_is_read_and_cut(ref: AttemptRef) -> None:
    columns = store({"pages": [1, 1], "text": "word " * 30_000, "truncated": False}, "results/item.json")
    data = step_object(save_value(ref, 0, columns))
    assert data["text"].startswith("word word")
    assert (data["cut"], data["pages"]) == (True, [1, 1])


def test_the_file_of_another_step_is_not_opened(ref: AttemptRef) -> None:
    data = step_object(save_value(ref, 0, store("x", "results/split.json"), is_item=False, name="split"))
    assert (data["value"], data["cut"]) == (None, True)


def test_an_item_whose_file_is_gone_is_still_shown(ref: AttemptRef) -> None:
    data = step_object(save_value(ref, 0, {"value": None, "value_file": "results/gone.json"}))
    assert (data["text"], data["cut"]) == (None, True)


@pytest.mark.parametrize("character", ["\x01", "🙂", "é", '"', "\\", "漢"])
def test_a_frame_stays_below_64_kb_whatever_the_text_is(ref: AttemptRef, character: str) -> None:
    data = step_object(save_answer(ref, 0, character * 70_000))
    data["error"] = step_object(save_failure(ref, 1, character * 70_000))["error"]
    assert len(json.dumps({"type": "step", "version": 1, "data": data})) < 64 * 1024


def test_a_large_item_is_shown_by_the_preview_that_its_row_keeps(
    ref: AttemptRef, django_assert_num_queries: Any
) -> None:
    whole = {"pages": [1, 9], "text": "é" * 100_000, "whole": True, "notes": ["x" * 5000]}
    columns = {"value": preview(whole), "value_file": "results/nowhere.json", "value_size": 1, "value_sha256": "0"}
    shown = step_object(save_value(ref, 1, columns))
    assert (shown["pages"], shown["whole"], shown["cut"]) == ([1, 9], True, True)
    assert shown["text"].startswith("éé")
    assert len(shown["text"].encode()) <= 16 * 1024
