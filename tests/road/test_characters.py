"""Characters that are easily cut or cannot be stored, from the file to the result (C39, C41)."""

from typing import Any

import pytest

from tasks_app.models import StepResult
from tests.road.conftest import Road
from tests.support.documents import marker, marker_txt
from tests.support.documents_text import CHINESE, EMOJI
from tests.support.endpoint_behaviours import status, text

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
PATTERN = FAMILY + "e\u0301" + "🇩🇪" + "\r\n"
LONG = PATTERN * 5000
# Small chunks of it are a few hundred calls.
SHORTER = PATTERN * 500
# Whole characters: never a joiner, an accent, half a flag, or the line feed of a line end.
BEGINNINGS = (FAMILY, "e\u0301", "🇩🇪", "\r\n")


@pytest.mark.parametrize(("document", "tokens"), [(LONG, 1000), (SHORTER, 64)])
def test_no_chunk_cuts_a_character_and_joined_they_are_the_document(
    road: Road, settings: Any, document: str, tokens: int
) -> None:
    settings.MEDIA_ROOT = road.house.folder / "files"
    road.house.ready_worker("gpu", LONGHAUL_CHUNK_TOKENS=str(tokens))
    road.house.scheduler()
    task_id = road.submit(document.encode(), name="families.txt", unit="chunk")
    assert road.wait_for_end(task_id)["status"] == "succeeded"
    parts = [part["text"] for part in StepResult.objects.get(task_id=task_id, name="split").load()["parts"]]
    assert "".join(parts) == document
    assert len(parts) > 30
    assert all(part.strip() and part.startswith(BEGINNINGS) for part in parts)
    assert len(road.house.endpoint.calls) == len(parts)


def test_answers_that_arrive_in_pieces_of_characters_come_out_whole(road: Road) -> None:
    answer = f"{CHINESE} {EMOJI} {PATTERN.strip()} end"
    for page in (1, 2, 3):
        road.house.endpoint.script(marker(page), [text(answer, piece_bytes=page)])
    road.house.ready_worker("gpu")
    task_id = road.submit(marker_txt(3))
    assert road.wait_for_end(task_id)["status"] == "succeeded"
    assert road.merged(task_id).count(answer) == 3
    found = road.api.get(f"/api/tasks/{task_id}/result?format=json").json
    assert [item["text"] for item in found["items"]] == [answer] * 3


def test_what_no_database_stores_is_replaced_in_answers_and_in_error_messages(road: Road) -> None:
    road.house.endpoint.script("PAGE-0001", [text("nul \x00, half \ud83d.")])
    road.house.endpoint.script("PAGE-0002", [status(400, {"error": {"message": "nul \x00, half \ud83d."}})])
    road.house.ready_worker("gpu")
    task_id = road.submit(b"PAGE-0001\fPAGE-0002")
    task = road.wait_for_end(task_id)
    assert (task["status"], task["failed_items"]) == ("succeeded", 1)
    merged = road.merged(task_id)
    assert merged.count("nul \ufffd, half \ufffd.") == 2
    steps = road.api.get(f"/api/tasks/{task_id}/steps").json["items"]
    told = [step["error"]["message"] if step["error"] else step["text"] for step in steps if step["is_item"]]
    assert all("nul \ufffd, half \ufffd." in words for words in told)
