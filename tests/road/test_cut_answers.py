"""Answers that are no whole answers, among two hundred that are: none passes for one (C46)."""

from collections import Counter
from typing import Any

import pytest

from tasks_app.models import StepResult
from tests.road.conftest import Road
from tests.road.test_whole_road import PAGES, expected
from tests.support.documents import marker, marker_pdf
from tests.support.endpoint_behaviours import Behaviour, close_half, content_filter, finish_length, no_finish_reason

TRIES = 3
CUT_OFF = "> The answer was cut off at the length limit."
# By page: what the endpoint does, as often as it is asked or once; words of the result; how many calls there are.
MISBEHAVING: dict[int, tuple[list[Behaviour], str, int]] = {
    20: ([finish_length(0.8)], f"R-00\n\n{CUT_OFF}", 1),
    50: ([finish_length(0)] * TRIES, "> Page 50 has no answer: The model endpoint gave an answer without text", TRIES),
    80: ([close_half("reset")] * TRIES, "> Page 80 has no answer: The model endpoint broke off in the middle", TRIES),
    110: ([close_half("cut")], "R-0110", 2),
    140: ([no_finish_reason()] * TRIES, "> Page 140 has no answer: The model endpoint broke off in the middle", TRIES),
    170: ([content_filter()], "> Page 170 has no answer: The model endpoint's content filter", 1),
}
FAILED = [50, 80, 140, 170]


def sections(merged: str) -> dict[int, str]:
    """What the merged document has under the heading of each page."""
    pages = merged.split("\n\n## Page ")[1:]
    return {int(number): text.strip() for number, _, text in (page.partition("\n") for page in pages)}


@pytest.mark.timeout(500)
def test_half_answers_are_asked_for_again_or_named_and_the_others_are_untouched(road: Road) -> None:
    endpoint = road.house.endpoint
    for page, (behaviours, *_) in MISBEHAVING.items():
        endpoint.script(marker(page), behaviours)
    road.house.ready_worker("gpu", LONGHAUL_BACKOFF_BASE_SECONDS="0.05")
    road.house.scheduler()
    task_id = road.submit(marker_pdf(PAGES))
    task = road.wait_for_end(task_id, within=250)
    assert (task["status"], task["failed_items"]) == ("succeeded", len(FAILED))
    assert task["progress"]["done"] == PAGES - len(FAILED)
    found = sections(road.merged(task_id))
    assert list(found) == list(range(1, PAGES + 1))
    others = [page for page in found if page not in MISBEHAVING]
    assert [found[page] for page in others] == [expected(PAGES)[page - 1] for page in others]
    assert {page: found[page][: len(words)] for page, (_, words, _) in MISBEHAVING.items()} == {
        page: words for page, (_, words, _) in MISBEHAVING.items()
    }
    calls = Counter(call.marker for call in endpoint.calls)
    assert calls == {marker(page): MISBEHAVING[page][2] if page in MISBEHAVING else 1 for page in range(1, PAGES + 1)}
    assert failed_pages() == FAILED


def failed_pages() -> list[Any]:
    return [step.load()["pages"][0] for step in StepResult.objects.items().failed()]


def test_a_cut_answer_is_marked_in_what_is_combined_of_it(road: Road) -> None:
    road.house.endpoint.script(marker(2), [finish_length(0.8)])
    road.house.endpoint.script(marker(3), [content_filter()])
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = road.submit(marker_pdf(4), unit="whole")
    assert road.wait_for_end(task_id)["status"] == "succeeded"
    found = sections(road.merged(task_id))
    assert CUT_OFF in found[2]
    assert "content filter" in found[3]
    assert "> 1 part of it, named below, could not be taken into account." in road.merged(task_id)
