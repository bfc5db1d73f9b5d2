"""Pages become parts: which pages a part is of, under which heading, and that nothing is lost between them."""

import json
from dataclasses import asdict
from itertools import groupby, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_app.documents.errors import NotAmongPages
from tasks_app.documents.pages import NO_TEXT_HERE, Extracted, Page
from tasks_app.documents.split import PAGE_BREAK, Part, Unit, split

TEXTS = st.lists(st.sampled_from([*"ab é🇩🇪\n\r.\u0301", " " * 9, "\n" * 9, "word ", "# a\n"]), max_size=40).map("".join)
PAGES = st.lists(TEXTS, max_size=12).map(
    lambda texts: [Page(number, text) for number, text in enumerate(texts, start=1)]
)
LIMITS = st.sampled_from([1, 7, 64, 1000])


def document(*pages: Page | str, paged: bool = True, markdown: bool = False) -> Extracted:
    numbered = [Page(at, page) if isinstance(page, str) else page for at, page in enumerate(pages, start=1)]
    return Extracted("", numbered, paged=paged, markdown=markdown)


def parts_of(extracted: Extracted, unit: Unit, limit: int) -> list[Part]:
    return split(extracted, unit=unit, limit=limit, size=len)


def written(pages: list[Page]) -> list[Page]:
    return [page for page in pages if page.text.strip()]


def test_by_page_each_page_is_a_part() -> None:
    assert parts_of(document("One.", "Two."), "page", 100) == [Part(0, 1, 1, "One.", ""), Part(1, 2, 2, "Two.", "")]


def test_by_page_a_long_page_is_several_parts_of_the_same_page() -> None:
    assert parts_of(document("One two. Three four.", "Five."), "page", 12) == [
        Part(0, 1, 1, "One two. ", ""),
        Part(1, 1, 1, "Three four.", ""),
        Part(2, 2, 2, "Five.", ""),
    ]


def test_by_chunk_short_pages_share_a_part() -> None:
    assert parts_of(document(*(f"Page {number}." for number in range(1, 6))), "chunk", 20) == [
        Part(0, 1, 2, "Page 1.\n\nPage 2.\n\n", ""),
        Part(1, 3, 4, "Page 3.\n\nPage 4.\n\n", ""),
        Part(2, 5, 5, "Page 5.", ""),
    ]


@pytest.mark.parametrize("unit", ["page", "chunk"])
def test_pages_without_text_are_passed_over(unit: Unit) -> None:
    parts = parts_of(document(Page(1, "", NO_TEXT_HERE), "Two.", Page(3, "", NO_TEXT_HERE), "Four.", " \n"), unit, 5)
    assert [(part.first_page, part.last_page, part.text.strip()) for part in parts] == [(2, 2, "Two."), (4, 4, "Four.")]


@pytest.mark.parametrize("unit", ["page", "chunk"])
def test_no_text_gives_no_parts(unit: Unit) -> None:
    assert parts_of(document(Page(1, "", NO_TEXT_HERE)), unit, 10) == []


@pytest.mark.parametrize("unit", ["page", "chunk"])
def test_a_document_without_pages_has_parts_without_pages(unit: Unit) -> None:
    assert parts_of(document("One two. Three four.", paged=False), unit, 12) == [
        Part(0, None, None, "One two. ", ""),
        Part(1, None, None, "Three four.", ""),
    ]


def test_ranges_choose_among_the_parts_of_a_document_without_pages() -> None:
    text = document("One.\n\nTwo.\n\nThree.\n\nFour.", paged=False)
    parts = split(text, unit="chunk", limit=10, size=len, ranges=[(2, 2), (4, None)])
    assert [(part.index, part.text.strip()) for part in parts] == [(0, "Two."), (1, "Four.")]
    with pytest.raises(NotAmongPages, match="None of the parts asked for is in the document: it has 4"):
        split(text, unit="chunk", limit=10, size=len, ranges=[(5, None)])


def test_ranges_of_pages_are_the_readers_affair() -> None:
    pages = document(Page(7, "Seven."), Page(8, "Eight."))
    assert [part.first_page for part in split(pages, unit="page", limit=9, size=len, ranges=[(7, 8)])] == [7, 8]


def test_the_limit_is_in_what_size_counts() -> None:
    words = document("one two three four five six")
    parts = split(words, unit="page", limit=4, size=lambda text: len(text.split()))
    assert [part.text for part in parts] == ["one two three ", "four five six"]


def test_markdown_is_cut_at_its_headings_and_a_part_knows_the_one_it_is_under() -> None:
    text = "Before.\n\n# One\n\nText of one.\n\nMore of one.\n\n# Two\n\nText of two.\n"
    parts = parts_of(document(text, paged=False, markdown=True), "chunk", 24)
    assert [(part.text.strip().split("\n")[0], part.heading) for part in parts] == [
        ("Before.", ""),
        ("# One", "One"),
        ("More of one.", "One"),
        ("# Two", "Two"),
    ]


def test_a_heading_goes_on_over_the_border_of_a_page() -> None:
    parts = parts_of(document("# One\n\nText.", "More.", markdown=True), "page", 100)
    assert [part.heading for part in parts] == ["One", "One"]


def test_a_hash_sign_in_a_text_that_is_no_markdown_is_no_heading() -> None:
    assert parts_of(document("# One\n\nText.", "More."), "page", 100)[1].heading == ""


def test_the_outline_of_the_file_names_the_section_of_a_page() -> None:
    pages = document(Page(1, "One two. Three four.", heading="Intro"), Page(2, "Five.", heading="End"))
    assert [part.heading for part in parts_of(pages, "page", 12)] == ["Intro", "Intro", "End"]
    assert [part.heading for part in parts_of(pages, "chunk", 100)] == ["Intro"]


def test_parts_and_pages_pass_through_json() -> None:
    part, page = Part(0, 1, 2, "One 😀\r\n", "Intro"), Page(3, "", NO_TEXT_HERE)
    assert Part(**json.loads(json.dumps(asdict(part)))) == part
    assert Page(**json.loads(json.dumps(asdict(page)))) == page


@settings(max_examples=200, deadline=None)
@given(pages=PAGES, limit=LIMITS, markdown=st.booleans())
def test_by_page_the_parts_of_a_page_are_its_text(pages: list[Page], limit: int, markdown: bool) -> None:
    parts = parts_of(document(*pages, markdown=markdown), "page", limit)
    joined = [
        (number, "".join(part.text for part in group)) for number, group in groupby(parts, lambda part: part.first_page)
    ]
    assert joined == [(page.number, page.text) for page in written(pages)]
    assert all(part.first_page == part.last_page for part in parts)


@settings(max_examples=200, deadline=None)
@given(pages=PAGES, limit=LIMITS, markdown=st.booleans())
def test_by_chunk_the_parts_are_the_whole_text(pages: list[Page], limit: int, markdown: bool) -> None:
    parts = parts_of(document(*pages, markdown=markdown), "chunk", limit)
    assert "".join(part.text for part in parts) == PAGE_BREAK.join(page.text for page in written(pages))


@settings(max_examples=300, deadline=None)
@given(pages=PAGES, limit=LIMITS)
def test_by_chunk_a_part_names_the_pages_of_its_first_and_last_visible_character(pages: list[Page], limit: int) -> None:
    owners = iter([page.number for page in pages for character in page.text if not character.isspace()])
    for part in parts_of(document(*pages), "chunk", limit):
        inside = list(islice(owners, sum(not character.isspace() for character in part.text)))
        assert (part.first_page, part.last_page) == (inside[0], inside[-1])


@settings(max_examples=100, deadline=None)
@given(pages=PAGES, unit=st.sampled_from(["page", "chunk"]), limit=LIMITS)
def test_parts_are_numbered_without_a_gap_never_blank_and_always_the_same(
    pages: list[Page], unit: Unit, limit: int
) -> None:
    parts = parts_of(document(*pages), unit, limit)
    assert [part.index for part in parts] == list(range(len(parts)))
    assert all(part.text.strip() for part in parts)
    assert parts == parts_of(document(*pages), unit, limit)
