"""A document goes in, is watched, and comes out: by a real worker, in a real browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import expect

from tests.browser.conftest import Site
from tests.support.browser import TALL, Visitor, mark, results, state
from tests.support.documents import marker_pdf

pytestmark = pytest.mark.django_db


def test_a_document_is_submitted_watched_and_downloaded(
    site: Site, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    site.house.endpoint.hold("PAGE-0004")
    ada = visit(viewport=TALL)
    ada.submit("six pages.pdf", marker_pdf(6))
    page = ada.page
    expect(results(page).filter(has_text="R-0001")).to_be_visible()
    expect(mark(page)).to_have_text("Live")
    expect(state(page)).to_have_text("Working")
    expect(page.get_by_role("progressbar", name="Progress")).to_be_visible()
    site.house.endpoint.release("PAGE-0004")
    expect(state(page)).to_have_text("Done")
    expect(page.locator("[data-slot=counted]")).to_have_text("6 of 6 pages")
    expect(page.locator("[data-slot=calls]")).to_have_text("6")
    expect(page).to_have_title("Done · six pages.pdf")
    # What is not drawn yet has no text to read.
    expect(results(page).last).to_contain_text("R-0006", use_inner_text=True)
    assert [text.split()[-1] for text in results(page).all_inner_texts()] == [f"R-{n:04d}" for n in range(1, 7)]
    merged = ada.download("Markdown", tmp_path).read_text()
    places = [merged.index(f"R-{n:04d}") for n in range(1, 7)]
    assert places == sorted(places)
    assert ada.trouble.seen == []


def test_the_list_follows_without_a_reload(site: Site, visit: Callable[..., Visitor]) -> None:
    site.house.endpoint.hold()
    ada = visit()
    list_page = ada.new_tab("/")
    expect(list_page.get_by_text("No tasks yet.")).to_be_visible()
    expect(mark(list_page)).to_have_text("Live")
    ada.submit("shown in the list.pdf", marker_pdf(3))
    row = list_page.locator("#tasks > li").filter(has_text="shown in the list.pdf")
    expect(row.locator("[data-slot=state]")).to_have_text("Working")
    expect(list_page.get_by_text("No tasks yet.")).to_be_hidden()
    site.house.endpoint.release()
    expect(row.locator("[data-slot=state]")).to_have_text("Done")
    expect(row.locator("[data-slot=counted]")).to_have_text("3 of 3 pages")
    row.get_by_role("link").click()
    expect(state(list_page)).to_have_text("Done")


def test_a_user_signs_in_by_the_form_and_out_again(site: Site, visit: Callable[..., Visitor]) -> None:
    ada = visit()
    # The site's own way of hashing; that of the tests is a cheaper one.
    hasher = PBKDF2PasswordHasher()
    stored = hasher.encode("correct horse battery", hasher.salt())
    get_user_model().objects.filter(username=ada.name).update(password=stored)
    ada.context.clear_cookies()
    ada.sign_in(ada.name, "correct horse battery")
    ada.page.get_by_role("button", name="Sign out").click()
    expect(ada.page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert ada.trouble.seen == []
