"""A document goes in, progress is seen, one merged result comes out: real processes, the scriptable endpoint."""

import re
import threading
from typing import Any

import pytest

from tasks_app.models import StepResult, Task
from tests.road.conftest import Road
from tests.support.documents import marker_pdf

PAGES = 200
# Of each of ten tasks at once.
MANY_PAGES = 60


def expected(pages: int) -> list[str]:
    return [f"R-{page:04}" for page in range(1, pages + 1)]


def answers_in(text: str) -> list[str]:
    return re.findall(r"R-\d{4}", text)


def test_two_hundred_pages_are_two_hundred_calls_and_one_result_in_order(road: Road) -> None:
    road.house.ready_worker("gpu")
    task_id = road.submit(marker_pdf(PAGES))
    seen: list[Any] = []

    def ended() -> bool:
        seen.append(road.api.task(task_id))
        return bool(seen[-1]["finished_at"])

    road.house.wait_until(ended, 110, what="the task has ended")
    task = seen[-1]
    assert (task["status"], task["error"]) == ("succeeded", None)
    assert task["progress"]["done"] == task["progress"]["total"] == PAGES
    assert task["usage"]["calls"] == len(road.house.endpoint.calls) == PAGES
    done = [look["progress"]["done"] for look in seen]
    versions = [look["version"] for look in seen]
    assert done == sorted(done)
    assert versions == sorted(versions)
    assert answers_in(road.merged(task_id)) == expected(PAGES)
    assert StepResult.objects.items().succeeded().filter(task_id=task_id).count() == PAGES


def test_every_format_holds_every_page_and_a_part_can_be_fetched_on_the_way(road: Road) -> None:
    road.house.endpoint.hold("PAGE-0005")
    road.house.ready_worker("gpu", LONGHAUL_MODEL_CONCURRENCY="1")
    task_id = road.submit(marker_pdf(8))
    road.house.wait_until(lambda: road.api.task(task_id)["progress"]["done"] == 4, what="four pages are done")
    address = f"/api/tasks/{task_id}/result"
    assert road.api.get(f"{address}?format=md").status == 409
    partial = road.api.get(f"{address}?format=md&partial=1").body.decode()
    assert answers_in(partial) == expected(4)
    assert "4 of 8" in partial
    road.house.endpoint.release("PAGE-0005")
    road.wait_for_end(task_id)
    for format_ in ("md", "json", "jsonl"):
        assert answers_in(road.api.get(f"{address}?format={format_}").body.decode()) == expected(8)


@pytest.mark.timeout(500)
def test_ten_tasks_on_two_workers_and_no_request_waits_for_a_worker(road: Road) -> None:
    road.house.endpoint.hold()
    workers = [road.house.ready_worker("gpu") for _ in range(2)]
    document = marker_pdf(MANY_PAGES)
    ids = [road.submit(document, idempotency_key=f"k{n}") for n in range(10)]
    # Both workers are stuck in calls that do not come back: whatever the page needs of them would hang here.
    road.house.wait_until(lambda: road.house.endpoint.in_flight == 8, what="both workers are busy")
    ids.append(road.submit(marker_pdf(1), idempotency_key="while busy"))
    assert road.api.get("/api/tasks").status == 200
    assert road.api.task(ids[9])["status"] == "pending"
    road.house.endpoint.release()
    scheduler = road.house.scheduler()
    for task_id, pages in zip(ids, [*[MANY_PAGES] * 10, 1], strict=True):
        assert road.wait_for_end(task_id, within=250)["status"] == "succeeded"
        assert answers_in(road.merged(task_id)) == expected(pages)
    assert len(road.house.endpoint.calls) == 10 * MANY_PAGES + 1
    assert all(program.is_alive for program in [*workers, scheduler])


def test_twenty_submissions_at_once_by_one_key_are_one_task(road: Road) -> None:
    ids: list[str] = []

    def submit() -> None:
        answer = road.api.submit(marker_pdf(1), name="a.pdf", preset="summarise", idempotency_key="one")
        ids.append(answer.json["id"])

    threads = [threading.Thread(target=submit) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 20
    assert len(set(ids)) == Task.objects.count() == 1


def test_a_stop_ends_a_running_task_and_its_finished_pages_stay(road: Road) -> None:
    road.house.endpoint.hold("PAGE-0003")
    road.house.ready_worker("gpu", LONGHAUL_MODEL_CONCURRENCY="1")
    task_id = road.submit(marker_pdf(9))
    road.house.wait_until(lambda: road.api.task(task_id)["progress"]["done"] == 2, what="two pages are done")
    road.house.wait_until(lambda: len(road.house.endpoint.calls) == 3, what="the third page's call is in flight")
    # Never released: what ends the call is the stop.
    assert road.api.post(f"/api/tasks/{task_id}/cancel").status == 202
    assert road.wait_for_end(task_id)["status"] == "cancelled"
    assert len(road.house.endpoint.calls) == 3
    partial = road.api.get(f"/api/tasks/{task_id}/result?format=md&partial=1").body.decode()
    assert answers_in(partial) == expected(2)
    again = road.submit(marker_pdf(1))
    assert road.wait_for_end(again)["status"] == "succeeded"
