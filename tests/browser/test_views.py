"""However often a page is opened, and whatever happens to its connection, it ends at the same state."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth import get_user_model
from django.db.models import F
from playwright.sync_api import Page, expect

from tasks_app.models import StepResult, Task
from tests.browser.conftest import Site
from tests.support.browser import Visitor, mark, results, state
from tests.support.documents import marker_pdf
from tests.web.shelf import document_task

pytestmark = pytest.mark.django_db

POLLING = "Looking every 2 seconds"
# Every socket goes where none is, while the page says so.
NO_SOCKETS = """
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(url) { super(localStorage.noSockets ? "/ws/nowhere/" : url); }
};
"""


@pytest.fixture
def held(site: Site) -> Iterator[None]:
    """Page 3 of every document has no answer before the test says so."""
    site.house.endpoint.hold("PAGE-0003")
    yield
    site.house.endpoint.release("PAGE-0003")


def without_sockets(visitor: Visitor) -> None:
    visitor.context.add_init_script(NO_SOCKETS)
    visitor.page.evaluate("localStorage.noSockets = 'yes'")


def texts(page: Page) -> list[str]:
    return results(page).locator("[data-slot=text]").all_text_contents()


def test_two_tabs_and_a_reload_show_the_same_end(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    path = ada.submit("two tabs.pdf", marker_pdf(5))
    other = ada.new_tab(path)
    expect(results(ada.page).first).to_contain_text("R-0001")
    ada.page.reload()
    expect(results(ada.page).first).to_contain_text("R-0001")
    site.house.endpoint.release("PAGE-0003")
    for page in (ada.page, other):
        expect(state(page)).to_have_text("Done")
        expect(results(page)).to_have_count(5)
        expect(page.locator("[data-slot=counted]")).to_have_text("5 of 5 pages")
    assert texts(ada.page) == texts(other) == [f"R-{n:04d}" for n in range(1, 6)]


def test_without_a_socket_the_page_polls_and_goes_live_as_soon_as_it_can(
    site: Site, visit: Callable[..., Visitor]
) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    without_sockets(ada)
    ada.submit("polled.pdf", marker_pdf(4))
    expect(mark(ada.page)).to_have_text(POLLING)
    expect(results(ada.page).first).to_contain_text("R-0001")
    ada.page.evaluate("delete localStorage.noSockets; dispatchEvent(new Event('online'))")
    expect(mark(ada.page)).to_have_text("Live")
    site.house.endpoint.release("PAGE-0003")
    expect(state(ada.page)).to_have_text("Done")
    assert texts(ada.page) == [f"R-{n:04d}" for n in range(1, 5)]


def test_a_whole_task_can_be_watched_by_polling_alone(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    without_sockets(ada)
    ada.submit("only polled.pdf", marker_pdf(4))
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page)).to_have_count(4)
    assert texts(ada.page) == [f"R-{n:04d}" for n in range(1, 5)]


def test_polling_takes_away_what_no_longer_counts(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    without_sockets(ada)
    user = get_user_model().objects.get(username=ada.name)
    task = document_task(user, status="succeeded", items=3)
    ada.page.goto(f"{ada.base}/tasks/{task.pk}/")
    expect(results(ada.page)).to_have_count(3)
    # As an attempt does that succeeds with fewer steps than an earlier one.
    StepResult.objects.filter(task=task, index=2).update(superseded=True)
    Task.objects.filter(pk=task.pk).update(version=F("version") + 1, progress_done=2, progress_total=2)
    expect(results(ada.page)).to_have_count(2)
    expect(ada.page.locator("[data-slot=counted]")).to_have_text("2 of 2 pages")


def test_who_was_signed_out_meanwhile_is_told_so(held: None, visit: Callable[..., Visitor]) -> None:
    ada = visit()
    without_sockets(ada)
    ada.submit("signed out.pdf", marker_pdf(4))
    expect(mark(ada.page)).to_have_text(POLLING)
    ada.context.clear_cookies()
    expect(mark(ada.page)).to_have_text("You are signed out: reload to sign in")


def test_while_redis_is_stopped_the_page_follows_to_the_end(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    ada.submit("no redis.pdf", marker_pdf(4))
    expect(results(ada.page).first).to_contain_text("R-0001")
    site.house.redis.kill()
    try:
        site.house.endpoint.release("PAGE-0003")
        expect(state(ada.page)).to_have_text("Done")
    finally:
        site.house.start_redis()
    assert texts(ada.page) == [f"R-{n:04d}" for n in range(1, 5)]


def test_a_long_result_comes_page_by_page_as_it_is_scrolled(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    user = get_user_model().objects.get(username=ada.name)
    task = document_task(user, status="succeeded", items=420)
    ada.page.goto(f"{ada.base}/tasks/{task.pk}/")
    expect(results(ada.page)).to_have_count(250)
    for shown in (350, 420):
        ada.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        expect(results(ada.page)).to_have_count(shown)
    expect(ada.page.locator("#more")).to_have_count(0)
    assert texts(ada.page) == [f"answer {n}" for n in range(420)]
