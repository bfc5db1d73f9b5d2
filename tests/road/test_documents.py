"""Documents with every oddity that was really seen, through real processes, by API and by page."""

import html
from collections.abc import Iterable

import pytest

from tasks_app.models import Attempt, Task
from tests.road.conftest import Road, child_of
from tests.support.case_files import Readable, Refused, not_taken, readable, refused
from tests.support.page import PageVisitor

# Of each document one by API and one by page.
ROADS = 2


def submit_all(
    road: Road, page: PageVisitor, cases: Iterable[Readable | Refused], **fields: str
) -> dict[str, list[str]]:
    """By name the ids of two tasks, that by API and that by page; by two users, so that they are no twins."""
    ids = {}
    for case in cases:
        sent = {**fields, "password": case.password}
        answer = road.api.submit(case.content, name=case.name, **sent)
        seen = page.submit(case.content, name=case.name, **sent)
        assert (answer.status, bool(seen.task_id)) == (202, True), (case.name, answer.body, seen.status)
        ids[case.name] = [answer.json["id"], seen.task_id]
    return ids


def wait_for_all(road: Road, ids: dict[str, list[str]]) -> None:
    count = len(ids) * ROADS
    road.house.wait_until(lambda: Task.objects.finished().count() >= count, 250, what="all tasks have ended")


@pytest.mark.timeout(500)
def test_every_oddity_gives_its_text(road: Road) -> None:
    road.house.ready_worker("cpu")
    road.house.scheduler()
    page = road.visitor()
    ids = submit_all(road, page, readable(), kind="document.extract")
    wait_for_all(road, ids)
    right = {case.name: case.text + "\n" for case in readable()}
    assert {name: road.merged(by_api) for name, (by_api, _) in ids.items()} == right
    results = {name: page.get(f"/tasks/{by_page}/result/?format=md") for name, (_, by_page) in ids.items()}
    assert {name: result.html for name, result in results.items()} == right
    assert road.house.endpoint.calls == []


@pytest.mark.timeout(500)
def test_what_cannot_be_read_says_why_costs_no_call_and_is_not_tried_again(road: Road) -> None:
    worker = road.house.ready_worker("gpu")
    child = child_of(worker)
    road.house.scheduler()
    page = road.visitor()
    ids = submit_all(road, page, refused(), preset="summarise")
    wait_for_all(road, ids)
    right = {case.name: ("failed", {"code": "invalid_input", "message": case.sentence}, 1, 0) for case in refused()}
    assert {name: ended(road, by_api) for name, (by_api, _) in ids.items()} == right
    pages = {name: html.unescape(page.get(f"/tasks/{by_page}/").html) for name, (_, by_page) in ids.items()}
    assert [case.name for case in refused() if case.sentence not in pages[case.name]] == []
    assert Attempt.objects.count() == len(ids) * ROADS
    assert road.house.endpoint.calls == []
    assert "Traceback" not in worker.said
    assert road.wait_for_end(road.submit(b"PAGE-0001 and no oddity"))["status"] == "succeeded"
    assert (worker.is_alive, child_of(worker)) == (True, child)


def ended(road: Road, task_id: str) -> tuple[str, object, int, int]:
    task = road.api.task(task_id)
    return task["status"], task["error"], task["attempts"], task["usage"]["calls"]


def test_what_is_no_document_is_refused_at_once(road: Road) -> None:
    page = road.visitor()
    for case in not_taken():
        answer = road.api.submit(case.content, name=case.name, preset="summarise")
        assert (answer.status, answer.json["errors"]) == (422, {"file": [case.sentence]})
        seen = page.submit(case.content, name=case.name, preset="summarise")
        assert seen.status == 400
        assert case.sentence in html.unescape(seen.html)
    assert not Task.objects.exists()
