"""Submitting and stopping, with scripts and without."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tasks_app.models import Task
from tests.browser.conftest import Site
from tests.support.browser import PHONE, Visitor, results, state
from tests.support.documents import marker_pdf

pytestmark = pytest.mark.django_db


def tasks_of(visitor: Visitor) -> int:
    return Task.objects.filter(owner__username=visitor.name).count()


def test_a_double_click_makes_one_task(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.fill_in("twice.pdf", marker_pdf(3))
    ada.page.get_by_role("button", name="Start").dblclick()
    ada.page.wait_for_url("**/tasks/*/")
    expect(state(ada.page)).to_have_text("Done")
    assert tasks_of(ada) == 1


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    limit = int(ada.page.locator("#drop").get_attribute("data-max-bytes") or 0)
    sent: list[str] = []
    ada.page.on("request", lambda request: sent.append(request.method))
    # The size that the browser reports is what the page goes by: nobody needs 50 MB for that.
    ada.page.evaluate("size => Object.defineProperty(File.prototype, 'size', { get: () => size })", limit + 1)
    ada.fill_in("large.pdf", marker_pdf(1))
    expect(ada.page.locator("#id_file_error")).to_contain_text("A file may have 50 MB at most.")
    ada.page.get_by_role("button", name="Start").click()
    expect(ada.page.get_by_role("button", name="Start")).to_be_enabled()
    assert "POST" not in sent
    assert tasks_of(ada) == 0


def test_only_what_the_wish_needs_is_asked_for(visit: Callable[..., Visitor]) -> None:
    ada = visit(viewport=PHONE)
    expect(ada.page.get_by_label("Into which language?")).to_be_hidden()
    ada.page.get_by_label("Translate").check()
    expect(ada.page.get_by_label("Into which language?")).to_be_visible()
    expect(ada.page.get_by_role("textbox", name="Your instruction")).to_be_hidden()


def test_a_file_is_dropped_on_the_zone(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File(["PAGE-0001 dropped"], "dropped.txt", { type: "text/plain" }));
          document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
        }"""
    )
    expect(ada.page.locator("#chosen")).to_have_text("dropped.txt · 17 bytes")
    ada.start()
    expect(ada.page.get_by_role("heading", name="dropped.txt")).to_be_visible()


def test_stop_stops_and_keeps_what_is_finished(site: Site, visit: Callable[..., Visitor]) -> None:
    for page in range(3, 31):
        site.house.endpoint.hold(f"PAGE-{page:04}")
    ada = visit()
    ada.submit("stopped.pdf", marker_pdf(30))
    expect(results(ada.page).first).to_contain_text("R-0001")
    ada.page.get_by_role("button", name="Stop").click()
    expect(state(ada.page)).to_have_text("Stopped")
    expect(results(ada.page).first).to_contain_text("R-0001")
    expect(ada.page.get_by_role("button", name="Retry what is missing")).to_be_visible()
    assert len(site.house.endpoint.calls) < 30


def test_a_stopped_task_goes_on_where_it_stopped(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    ada.submit("goes on.pdf", marker_pdf(6))
    expect(results(ada.page).first).to_contain_text("R-0001")
    ada.page.get_by_role("button", name="Stop").click()
    # What ends the third page's call is the stop.
    expect(state(ada.page)).to_have_text("Stopped")
    site.house.endpoint.release("PAGE-0003")
    ada.page.get_by_role("button", name="Retry what is missing").click()
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page)).to_have_count(6)
    assert len(site.house.endpoint.calls_of("PAGE-0001")) == 1


def test_without_scripts_a_task_is_submitted_seen_and_stopped(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit(java_script_enabled=False)
    ada.submit("no scripts.pdf", marker_pdf(30))
    # The page reloads itself.
    expect(results(ada.page).first).to_contain_text("R-0001")
    ada.page.get_by_role("button", name="Stop").click()
    site.house.wait_until(lambda: Task.objects.get(owner__username=ada.name).is_final)
    ada.page.reload()
    expect(state(ada.page)).to_have_text("Stopped")
    expect(ada.page.get_by_role("link", name="Markdown")).to_be_visible()
