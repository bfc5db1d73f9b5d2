"""Pages become parts: which pages a part is of, and that nothing is lost between them."""

import json
from dataclasses import asdict
from itertools import groupby, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_app.documents.pages import NO_TEXT_HERE, Page
from tasks_app.documents.split import PAGE_BREAK, Part, Unit, split

TEXTS = st.lists(st.sampled_from([*"ab é🇩🇪\n\r.\u0301", " " * 9, "\n" * 9, "word "]), max_size=40).map("".join)
DOCUMENTS = st.lists(TEXTS, max_size=12).map(
    lambda texts: [Page(number, text) for number, text in enumerate(texts, start=1)]
)
SIZES = st.sampled_from([1, 7, 64, 1000])


def written(pages: list[Page]) -> list[Page]:
    return [page for page in pages if page.text.strip()]


def test_by_page_each_page_is_a_part() -> None:
    pages = [Page(1, "One."), Page(2, "Two.")]
    assert split(pages, unit="page", max_characters=100) == [Part(0, 1, 1, "One."), Part(1, 2, 2, "Two.")]


def test_by_page_a_long_page_is_several_parts_of_the_same_page() -> None:
    pages = [Page(1, "One two. Three four."), Page(2, "Five.")]
    assert split(pages, unit="page", max_characters=12) == [
        Part(0, 1, 1, "One two. "),
        Part(1, 1, 1, "Three four."),
        Part(2, 2, 2, "Five."),
    ]


def test_by_chunk_short_pages_share_a_part() -> None:
    pages = [Page(number, f"Page {number}.") for number in range(1, 6)]
    assert split(pages, unit="chunk", max_characters=20) == [
        Part(0, 1, 2, "Page 1.\n\nPage 2.\n\n"),
        Part(1, 3, 4, "Page 3.\n\nPage 4.\n\n"),
        Part(2, 5, 5, "Page 5."),
    ]


@pytest.mark.parametrize("unit", ["page", "chunk"])
def test_pages_without_text_are_passed_over(unit: Unit) -> None:
    pages = [Page(1, "", NO_TEXT_HERE), Page(2, "Two."), Page(3, "", NO_TEXT_HERE), Page(4, "Four."), Page(5, " \n")]
    parts = split(pages, unit=unit, max_characters=5)
    assert [(part.first_page, part.last_page, part.text.strip()) for part in parts] == [(2, 2, "Two."), (4, 4, "Four.")]


@pytest.mark.parametrize("unit", ["page", "chunk"])
def test_no_text_gives_no_parts(unit: Unit) -> None:
    assert split([Page(1, "", NO_TEXT_HERE)], unit=unit, max_characters=10) == []


def test_markdown_is_cut_at_its_headings() -> None:
    page = Page(1, "# One\n\nText of one.\n\n# Two\n\nText of two.\n")
    parts = split([page], unit="chunk", max_characters=30, markdown=True)
    assert [part.text.split("\n")[0] for part in parts] == ["# One", "# Two"]


def test_parts_and_pages_pass_through_json() -> None:
    part, page = Part(0, 1, 2, "One 😀\r\n"), Page(3, "", NO_TEXT_HERE)
    assert Part(**json.loads(json.dumps(asdict(part)))) == part
    assert Page(**json.loads(json.dumps(asdict(page)))) == page


@settings(max_examples=200, deadline=None)
@given(pages=DOCUMENTS, size=SIZES, markdown=st.booleans())
def test_by_page_the_parts_of_a_page_are_its_text(pages: list[Page], size: int, markdown: bool) -> None:
    parts = split(pages, unit="page", max_characters=size, markdown=markdown)
    joined = [
        (number, "".join(part.text for part in group)) for number, group in groupby(parts, lambda part: part.first_page)
    ]
    assert joined == [(page.number, page.text) for page in written(pages)]
    assert all(part.first_page == part.last_page for part in parts)


@settings(max_examples=200, deadline=None)
@given(pages=DOCUMENTS, size=SIZES, markdown=st.booleans())
def test_by_chunk_the_parts_are_the_whole_text(pages: list[Page], size: int, markdown: bool) -> None:
    parts = split(pages, unit="chunk", max_characters=size, markdown=markdown)
    assert "".join(part.text for part in parts) == PAGE_BREAK.join(page.text for page in written(pages))


@settings(max_examples=400, deadline=None)
@given(pages=DOCUMENTS, size=SIZES)
def test_by_chunk_a_part_names_the_pages_of_its_first_and_last_visible_character(pages: list[Page], size: int) -> None:
    owners = iter([page.number for page in pages for character in page.text if not character.isspace()])
    for part in split(pages, unit="chunk", max_characters=size):
        inside = list(islice(owners, sum(not character.isspace() for character in part.text)))
        assert (part.first_page, part.last_page) == (inside[0], inside[-1])


@settings(max_examples=100, deadline=None)
@given(pages=DOCUMENTS, unit=st.sampled_from(["page", "chunk"]), size=SIZES)
def test_parts_are_numbered_without_a_gap_never_blank_and_always_the_same(
    pages: list[Page], unit: Unit, size: int
) -> None:
    parts = split(pages, unit=unit, max_characters=size)
    assert [part.index for part in parts] == list(range(len(parts)))
    assert all(part.text.strip() for part in parts)
    assert parts == split(pages, unit=unit, max_characters=size)
