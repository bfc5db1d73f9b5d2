"""The answer about the whole document, above the answers for its parts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tasks_app.web.words import WHOLE
from tests.browser.conftest import Site
from tests.support.browser import TALL, Visitor, results, state, whole
from tests.support.documents import marker_pdf, marker_txt
from tests.support.endpoint_behaviours import status

pytestmark = pytest.mark.django_db

ABOUT = "The whole document"


def test_the_whole_appears_above_the_parts_as_soon_as_it_is_there(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("R-0001")
    ada = visit(viewport=TALL)
    path = ada.submit("whole.pdf", marker_pdf(10), each=ABOUT)
    expect(results(ada.page)).to_have_count(10 + 1)
    expect(whole(ada.page)).to_contain_text(WHOLE["active"])
    expect(results(ada.page).last).to_contain_text("Pages 6–10 together")
    expect(ada.page.locator("[data-slot=counted]")).to_have_text("11 of 13 steps")
    site.house.endpoint.release("R-0001")
    expect(state(ada.page)).to_have_text("Done")
    expect(whole(ada.page)).to_contain_text("R-0001 R-0002")
    expect(whole(ada.page)).not_to_contain_text(WHOLE["active"])
    expect(results(ada.page).last).to_contain_text("shown above", use_inner_text=True)
    live = ada.page.locator("main").inner_text()
    ada.page.goto(ada.base + path)
    expect(results(ada.page).last).to_contain_text("shown above", use_inner_text=True)
    assert ada.page.locator("main").inner_text() == live
    assert ada.trouble.seen == []


def test_a_whole_that_failed_says_why_and_comes_with_a_retry(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.script("R-0001", [status(400)])
    ada = visit()
    ada.submit("refused.pdf", marker_pdf(3), each=ABOUT)
    expect(state(ada.page)).to_have_text("Done with gaps")
    expect(whole(ada.page).locator("[data-slot=reason]")).to_be_visible()
    ada.page.get_by_role("button", name="Retry what is missing").click()
    expect(state(ada.page)).to_have_text("Done")
    expect(whole(ada.page)).to_contain_text("R-0001 R-0002 R-0003")
    expect(whole(ada.page).locator("[data-slot=reason]")).to_be_hidden()


def test_a_document_of_one_part_is_whole_at_once(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.submit("short.txt", marker_txt(1), each=ABOUT)
    expect(state(ada.page)).to_have_text("Done")
    expect(whole(ada.page)).to_contain_text("R-0001")
    expect(results(ada.page)).to_have_count(1)


def test_a_start_from_scratch_takes_the_old_whole_away(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.script("R-0001", [status(400)])
    ada = visit()
    path = ada.submit("again.pdf", marker_pdf(2), each=ABOUT)
    expect(state(ada.page)).to_have_text("Done with gaps")
    watching = ada.new_tab(path)
    expect(whole(watching).locator("[data-slot=reason]")).to_be_visible()
    site.house.endpoint.hold("PAGE-0001")
    ada.page.locator("summary", has_text="Or start from scratch").click()
    ada.page.get_by_role("button", name="Throw away and start again").click()
    expect(whole(watching)).to_contain_text(WHOLE["active"])
    expect(whole(watching).locator("[data-slot=reason]")).to_be_hidden()
    site.house.endpoint.release("PAGE-0001")
    expect(whole(watching)).to_contain_text("R-0001 R-0002")
