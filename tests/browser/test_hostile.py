"""File names, answers and error texts come from outside: they are shown as they are, and never run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tasks_app.models import StepResult
from tests.browser.conftest import Site
from tests.support.browser import Visitor, results, state
from tests.support.documents import marker_pdf
from tests.support.endpoint_behaviours import status, text

pytestmark = pytest.mark.django_db

NAME = "<img src=x onerror=alert(1)>.pdf"
ANSWER = "<script>alert(2)</script><svg onload=alert(3)>[go](javascript:alert(4))\u2028{{ 7 }}"
REASON = "</script><img src=x onerror=alert(5)>"


def test_nothing_from_outside_runs_in_the_page(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.script("PAGE-0001", [text(ANSWER)])
    site.house.endpoint.script("PAGE-0002", [status(400)])
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    path = ada.submit(NAME, marker_pdf(3))
    expect(results(ada.page).first).to_contain_text("<script>alert(2)</script>")
    site.house.endpoint.release("PAGE-0003")
    # What came by the socket, then what the server renders, then the list.
    expect(state(ada.page)).to_have_text("Done with gaps")
    assert_shown(ada)
    expect(results(ada.page).nth(1).locator("[data-slot=text]")).to_be_hidden()
    StepResult.objects.filter(task__owner__username=ada.name, status="failed").update(error_text=REASON)
    ada.page.goto(ada.base + path)
    assert_shown(ada)
    expect(results(ada.page).nth(1)).to_contain_text(REASON)
    ada.page.goto(f"{ada.base}/")
    expect(ada.page.get_by_role("link", name=NAME)).to_be_visible()
    assert ada.trouble.seen == []


def assert_shown(ada: Visitor) -> None:
    expect(ada.page.get_by_role("heading", name=NAME)).to_be_visible()
    expect(results(ada.page).first).to_contain_text("<svg onload=alert(3)>[go](javascript:alert(4))")
    expect(ada.page.locator("main img, main svg, main script:not([type='application/json'])")).to_have_count(0)
