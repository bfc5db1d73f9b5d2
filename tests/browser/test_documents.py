"""Kinds to choose from, a try before the whole, documents that are used again, and those with a password."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tasks_app.models import Document, Task
from tests.browser.conftest import Site
from tests.support.browser import PHONE, Visitor, results, state
from tests.support.documents import encrypted_pdf, marker_pdf

pytestmark = pytest.mark.django_db

TRY = "Try on the first 3 pages"


def documents_of(visitor: Visitor) -> int:
    return Document.objects.filter(owner__username=visitor.name).count()


def earlier(page: Page, name: str) -> Locator:
    """The choice of a document that was uploaded before."""
    return page.locator("#recent").get_by_label(name)


def unfold(page: Page, summary: str) -> None:
    page.locator("summary", has_text=summary).click()


def test_another_kind_is_chosen_and_shows_the_text_page_by_page(visit: Callable[..., Visitor], tmp_path: Path) -> None:
    ada = visit()
    ada.page.get_by_role("link", name="Get the text of a document").click()
    expect(ada.page.get_by_role("link", name="Get the text of a document")).to_have_attribute("aria-current", "true")
    expect(ada.page.get_by_label("Summarise")).to_have_count(0)
    ada.choose_file("plain text.pdf", marker_pdf(4))
    ada.start()
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page)).to_have_count(4)
    expect(results(ada.page).nth(1)).to_contain_text("Page 2")
    expect(results(ada.page).nth(1)).to_contain_text("PAGE-0002")
    expect(ada.page.locator("[data-slot=counted]")).to_have_text("4 of 4 pages")
    expect(ada.page.get_by_text("Model calls")).to_be_hidden()
    assert "PAGE-0004" in ada.download("Markdown", tmp_path).read_text()
    assert ada.trouble.seen == []


def test_three_pages_are_tried_and_then_the_whole_is_done(visit: Callable[..., Visitor]) -> None:
    ada = visit(viewport=PHONE)
    ada.fill_in("tried.pdf", marker_pdf(5), wish="Extract key points")
    tried = ada.start(TRY)
    expect(state(ada.page)).to_have_text("Done")
    expect(ada.page.locator(".under-title")).to_contain_text("Key points · page by page · pages 1-3")
    expect(results(ada.page)).to_have_count(3)
    ada.page.get_by_role("button", name="Do the whole document").click()
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page)).to_have_count(5)
    assert ada.page.url != ada.base + tried
    expect(ada.page.get_by_role("button", name="Do the whole document")).to_be_hidden()
    assert documents_of(ada) == 1
    assert ada.trouble.seen == []


def test_a_document_is_used_again_without_another_upload(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.submit("used again.pdf", marker_pdf(2))
    ada.page.get_by_role("link", name="Use this document again").click()
    expect(ada.page.locator("#chosen")).to_have_text("used again.pdf")
    ada.page.get_by_label("Extract key points").check()
    ada.start()
    expect(ada.page.get_by_role("heading", name="used again.pdf")).to_be_visible()
    assert Task.objects.filter(owner__username=ada.name).count() == 2
    assert documents_of(ada) == 1


def test_the_newest_choice_of_a_document_counts(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.submit("earlier.pdf", marker_pdf(1))
    ada.page.goto(f"{ada.base}/")
    unfold(ada.page, "Or one you uploaded before")
    earlier(ada.page, "earlier.pdf").check()
    expect(ada.page.locator("#chosen")).to_have_text("earlier.pdf")
    ada.choose_file("later.txt", b"PAGE-0001 later")
    expect(earlier(ada.page, "earlier.pdf")).not_to_be_checked()
    expect(ada.page.locator("#chosen")).to_contain_text("later.txt")
    earlier(ada.page, "earlier.pdf").check()
    expect(ada.page.locator("#chosen")).to_have_text("earlier.pdf")
    ada.page.get_by_label("Questions and answers").check()
    ada.start()
    expect(ada.page.get_by_role("heading", name="earlier.pdf")).to_be_visible()


def test_a_chosen_document_survives_what_is_wrong_elsewhere(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    ada.submit("stays.pdf", marker_pdf(1))
    ada.page.get_by_role("link", name="Use this document again").click()
    unfold(ada.page, "More options")
    pages = ada.page.get_by_label("Which pages")
    pages.fill("three")
    ada.page.get_by_role("button", name="Start").click()
    expect(ada.page.get_by_text("names no pages")).to_be_visible()
    expect(pages).to_be_focused()
    expect(pages).to_have_accessible_description(re.compile("names no pages"))
    expect(ada.page.locator("#chosen")).to_have_text("stays.pdf")
    pages.fill("1")
    ada.start()
    expect(ada.page.get_by_role("heading", name="stays.pdf")).to_be_visible()


def test_a_password_that_is_missing_is_entered_and_shown_nowhere(site: Site, visit: Callable[..., Visitor]) -> None:
    ada = visit()
    locked = encrypted_pdf("PAGE-0001 behind the lock", user_password="sesame")
    ada.submit("locked.pdf", locked, wish="Extract key points")
    ada.page.get_by_role("link", name="Enter the password").click()
    expect(ada.page.locator("#chosen")).to_have_text("locked.pdf")
    expect(ada.page.get_by_label("Extract key points")).to_be_checked()
    expect(ada.page.get_by_label("Password of the document")).to_be_focused()
    ada.page.keyboard.type("sesame")
    ada.start()
    expect(state(ada.page)).to_have_text("Done")
    expect(results(ada.page).first).to_contain_text("R-0001")
    assert "sesame" not in ada.page.content()
    assert "sesame" not in site.web.said
    assert not Task.objects.filter(owner__username=ada.name).exclude(secrets="").exists()


def test_without_scripts_a_kind_is_chosen_a_try_made_and_the_whole_done(visit: Callable[..., Visitor]) -> None:
    ada = visit(java_script_enabled=False)
    expect(ada.page.get_by_label("Into which language?")).to_be_visible()
    ada.page.get_by_role("link", name="Get the text of a document").click()
    ada.choose_file("no scripts.pdf", marker_pdf(4))
    ada.start(TRY)
    button = ada.page.get_by_role("button", name="Do the whole document")
    # The page reloads itself.
    button.click()
    expect(results(ada.page)).to_have_count(4)
    ada.page.goto(f"{ada.base}/")
    unfold(ada.page, "Or one you uploaded before")
    earlier(ada.page, "no scripts.pdf").check()
    ada.start()
    expect(results(ada.page)).to_have_count(4)
    assert documents_of(ada) == 1
