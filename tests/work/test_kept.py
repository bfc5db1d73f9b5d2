"""What is kept of steps: values, counts, and what happens when a file or the database is gone."""

import threading
from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from tasks_app.exceptions import (
    NotJson,
)
from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import StepResult, StepStatus
from tasks_app.work.values import form_as_json
from tests.support.outage import drop_other_connections

from .conftest import Lab


def test_a_result_that_is_not_json_is_refused_with_a_sentence(lab: Lab) -> None:
    with pytest.raises(NotJson, match="returns must be JSON"):
        lab.attempt().step("s", lambda: {1, 2})


def test_a_large_result_lies_in_a_file_and_comes_back_whole(lab: Lab, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    text = "é" * 100_000
    assert lab.attempt().step("s", lambda: text) == text
    row = StepResult.objects.get()
    assert row.value is None
    assert row.value_file.endswith("0-1.json")
    assert row.load() == text
    lab.crash()
    assert lab.attempt().step("s", lambda: "other") == text


def test_a_result_whose_file_is_gone_is_computed_again(lab: Lab, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    lab.attempt().step("s", lambda: "x" * 100_000)
    (tmp_path / StepResult.objects.get().value_file).unlink()
    lab.crash()
    assert lab.attempt().step("s", lambda: "again") == "again"


def test_numbers_come_back_as_they_were_kept(lab: Lab) -> None:
    numbers = [1e16, -0.0, 1.5, 12345678901234567890, 1e-7]
    first = lab.attempt().step("s", lambda: numbers)
    lab.crash()
    context = lab.attempt()
    assert repr(context.step("s", lambda: None)) == repr(first)


def test_a_save_that_is_repeated_counts_once(lab: Lab) -> None:
    context = lab.attempt()
    record = StepRecord(index=0, name="s", key="k", is_item=True, status=StepStatus.SUCCEEDED)
    save_step(context.ref, record)
    save_step(context.ref, record)
    assert lab.progress()[0] == StepResult.objects.count() == 1


def test_lanes_that_lose_the_database_together_all_go_on(lab: Lab) -> None:
    def work(item: int) -> int:
        if item % 3 == 0:
            with suppress(OperationalError):
                # Two lanes may drop each other.
                drop_other_connections()
            connection.close()
        return item

    assert lab.attempt().map("m", work, range(16), concurrency=4) == list(range(16))
    # This test's own connection was dropped as well.
    connection.close()
    assert lab.progress() == (16, 16, 0)


def test_text_that_no_database_takes_is_mended_on_the_way_in(lab: Lab) -> None:
    assert lab.attempt().step("s", lambda: ["a\x00b", "\ud83d"]) == ["a\ufffdb", "\ufffd"]


def test_progress_of_a_resumed_task_never_falls(lab: Lab) -> None:
    lab.attempt().map("a", lab.work, range(3))
    lab.crash()
    seen = []
    context = lab.attempt()
    for name in ("a", "b"):
        context.map(name, lab.work, range(3))
        seen.append(lab.progress()[:2])
    assert seen == [(3, 3), (6, 6)]


def test_a_map_leaves_no_lane_behind(lab: Lab) -> None:
    before = threading.active_count()
    lab.attempt().map("m", lab.work, range(12), concurrency=4)
    assert threading.active_count() == before


def test_a_large_item_keeps_a_preview_beside_its_file(lab: Lab, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    value = {"pages": [1, 2], "text": "word " * 50_000, "table": list(range(5000))}
    assert lab.attempt().map("m", lambda _: value, [1]) == [value]
    row = StepResult.objects.get()
    assert row.load() == value
    assert row.value == {"pages": [1, 2], "text": value["text"][: 16 * 1024]}
    lab.crash()
    assert lab.attempt().map("m", lambda _: 1 / 0, [1]) == [value]


def test_a_date_of_a_form_is_kept_as_its_iso_text() -> None:
    assert form_as_json({"day": date(2026, 11, 30), "share": Decimal("0.5")}) == {"day": "2026-11-30", "share": "0.5"}
