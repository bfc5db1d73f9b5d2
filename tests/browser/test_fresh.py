"""The same document again costs nothing, and the page says so; a person can have the model asked anew."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Site
from tests.support.browser import Visitor, results, state
from tests.support.documents import marker_pdf

pytestmark = pytest.mark.django_db


def spending(visitor: Visitor) -> Locator:
    return visitor.page.locator("[data-slot=spending]")


def test_the_second_time_answers_are_reused_unless_asked_anew(site: Site, visit: Callable[..., Visitor]) -> None:
    ada = visit()
    document = marker_pdf(2)
    ada.submit("again.pdf", document)
    expect(state(ada.page)).to_have_text("Done")
    expect(spending(ada)).to_be_hidden()
    ada.submit("again.pdf", document)
    expect(state(ada.page)).to_have_text("Done")
    expect(spending(ada)).to_have_text("2 answers reused (not paid again)")
    expect(results(ada.page).first).to_contain_text("R-0001")
    assert len(site.house.endpoint.calls) == 2
    ada.page.goto(f"{ada.base}/")
    ada.fill_in("again.pdf", document)
    ada.page.get_by_text("More options").click()
    ada.page.get_by_label("Ask the model anew").check()
    ada.start()
    expect(state(ada.page)).to_have_text("Done")
    expect(spending(ada)).to_be_hidden()
    assert len(site.house.endpoint.calls) == 4
