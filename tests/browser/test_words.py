"""What the scripts say of a state is what the server says of it, but for times: those are the reader's."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db.models import F
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from tasks_app.models import Attempt, Task
from tests.browser.conftest import Site
from tests.support.browser import Visitor, state
from tests.support.documents import marker_pdf
from tests.web.shelf import document_task
from tests.web.test_cost import with_calls

TIME = re.compile(r"\d\d:\d\d")
pytestmark = pytest.mark.django_db

ENDS: list[dict[str, Any]] = [
    {"status": "cancelled"},
    {"status": "cancelled", "progress_done": 1, "progress_total": 2},
    {"status": "failed", "error_code": "invalid_input", "error_text": "There is no text in it."},
    {"status": "failed", "error_code": "expired", "error_text": "It waited too long.", "started_at": None},
    {"status": "failed", "error_code": "error", "error_text": "It broke.", "progress_total": 2, "failed_items": 2},
    {"status": "failed", "error_code": "memory_exceeded", "error_text": "It used more than 2,048 MB.", "attempt": 3},
    {"status": "cancelled", "progress_done": 1, "progress_total": 2, "attempt": 3, "reused_calls": 1200},
]


def with_history(task: Task) -> None:
    """Three attempts, and calls whose answers came and did not."""
    outcomes = [("handed_over", False), ("timeout", True), ("error", True)]
    Attempt.objects.bulk_create(
        Attempt(task=task, number=number, outcome=outcome, spent=spent, finished_at=Now(), error_text="It broke.")
        for number, (outcome, spent) in enumerate(outcomes, start=1)
    )
    with_calls(task, 43, in_doubt=2, tokens=1234)


def user_of(visitor: Visitor) -> Any:
    return get_user_model().objects.get(username=visitor.name)


def said(page: Page) -> list[str]:
    """With what is folded."""
    page.locator("details:visible > summary").evaluate_all(
        "all => all.forEach((one) => { one.parentNode.open = true })"
    )
    return page.locator("main").inner_text().splitlines()


@pytest.mark.parametrize("end", ENDS, ids=str)
def test_an_end_that_was_watched_reads_like_one_that_is_opened(
    visit: Callable[..., Visitor], end: dict[str, Any]
) -> None:
    # For later, so that the site's worker leaves it alone.
    ada, plain = visit(), visit(java_script_enabled=False)
    task = document_task(user_of(ada), available_at=Now() + timedelta(hours=1))
    with_history(task)
    ada.page.goto(f"{ada.base}/tasks/{task.pk}/")
    expect(state(ada.page)).to_have_text("Waiting")
    begun = {"started_at": Now(), "finished_at": Now(), "version": F("version") + 1}
    Task.objects.filter(pk=task.pk).update(**begun | end)
    expect(state(ada.page)).not_to_have_text("Waiting")
    if "attempt" in end:
        expect(ada.page.locator("#attempts")).to_be_visible()
    live = said(ada.page)
    Task.objects.filter(pk=task.pk).update(owner=user_of(plain))
    plain.page.goto(f"{ada.base}/tasks/{task.pk}/")
    opened = said(plain.page)
    # Times are the reader's in one and UTC in the other.
    assert [line for line in live if not TIME.search(line)] == [line for line in opened if not TIME.search(line)]


def test_the_time_of_the_next_attempt_is_the_readers(visit: Callable[..., Visitor]) -> None:
    ada = visit(timezone_id="Asia/Kolkata")
    later = datetime.now(UTC) + timedelta(days=2)
    document_task(user_of(ada), available_at=later)
    # India has no summer time.
    local = f"{later + timedelta(hours=5, minutes=30):%H:%M:%S}"
    ada.page.goto(f"{ada.base}/")
    row = ada.page.locator("#tasks > li [data-slot=waiting]")
    expect(row).to_contain_text(local)
    expect(row).not_to_contain_text("UTC")
    ada.page.locator("#tasks > li a").click()
    expect(ada.page.locator("#task [data-slot=waiting]")).to_contain_text(local)


def test_stop_after_the_session_ended_leads_back_to_the_task(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0001")
    ada = visit()
    path = ada.submit("signed out.pdf", marker_pdf(2))
    cookies: Any = ada.context.cookies()
    ada.context.clear_cookies(name="sessionid")
    ada.page.get_by_role("button", name="Stop").click()
    expect(ada.page.get_by_role("heading", name="Sign in")).to_be_visible()
    address = ada.page.locator("[name=next]").get_attribute("value")
    ada.context.add_cookies(cookies)
    ada.page.goto(f"{ada.base}{address}")
    ada.page.wait_for_url(f"**{path}")
    expect(ada.page.get_by_text("Nothing was done.")).to_be_visible()
    site.house.endpoint.release("PAGE-0001")
    expect(state(ada.page)).to_have_text("Done")
