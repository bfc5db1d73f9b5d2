"""A view never goes backwards, whatever the road between server and browser does to the frames."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.browser.conftest import Site
from tests.support.browser import Visitor, results, state
from tests.support.documents import marker_pdf

pytestmark = pytest.mark.django_db

# Every text that the count ever shows, and every value of the bar.
WATCH = """() => {
  const count = document.querySelector("[data-slot=counted]");
  const bar = document.querySelector("#task progress");
  window.counts = [];
  window.bars = [];
  new MutationObserver(() => window.counts.push(count.textContent)).observe(count, { childList: true });
  new MutationObserver(() => window.bars.push([bar.value, bar.dataset.state])).observe(bar, { attributes: true });
}"""


def repeat_what_was(route: WebSocketRoute) -> None:
    """The real server's frames, each followed by all that came before it."""
    server = route.connect_to_server()
    passed: list[str | bytes] = []

    def pass_on(frame: str | bytes) -> None:
        for one in [frame, *passed]:
            route.send(one)
        passed.append(frame)

    server.on_message(pass_on)


def test_frames_that_come_again_and_late_change_nothing(site: Site, visit: Callable[..., Visitor]) -> None:
    # Two calls are side by side, so each pair of gates holds both of them.
    for page in (1, 5, 6, 9, 10):
        site.house.endpoint.hold(f"PAGE-{page:04}")
    ada = visit()
    ada.context.route_web_socket(re.compile("/ws/tasks/.+/"), repeat_what_was)
    ada.submit("late frames.pdf", marker_pdf(12))
    ada.page.evaluate(WATCH)
    counted = ada.page.locator("[data-slot=counted]")
    for gate, done in (((1,), 4), ((5, 6), 8)):
        for page in gate:
            site.house.endpoint.release(f"PAGE-{page:04}")
        expect(counted).to_have_text(f"{done} of 12 pages")
    site.house.endpoint.release("PAGE-0009")
    site.house.endpoint.release("PAGE-0010")
    expect(state(ada.page)).to_have_text("Done")
    counts = [int(text.split()[0]) for text in ada.page.evaluate("window.counts") if text[0].isdigit()]
    bars = ada.page.evaluate("window.bars")
    assert len(counts) > 2
    assert all(earlier <= later for earlier, later in pairwise(counts))
    assert all(earlier[0] <= later[0] for earlier, later in pairwise(bars))
    assert all(value < 100 for value, shown in bars if shown != "succeeded")
    expect(results(ada.page)).to_have_count(12)
    assert results(ada.page).locator("[data-slot=text]").all_text_contents() == [f"R-{n:04d}" for n in range(1, 13)]


def test_a_page_catches_up_after_the_web_server_was_replaced(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold("PAGE-0003")
    ada = visit()
    ada.submit("replaced.pdf", marker_pdf(5))
    expect(results(ada.page).first).to_contain_text("R-0001")
    site.web.kill()
    expect(ada.page.locator("#live")).to_have_text("Reconnecting…")
    site.house.endpoint.release("PAGE-0003")
    site.open_web()
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page)).to_have_count(5)
