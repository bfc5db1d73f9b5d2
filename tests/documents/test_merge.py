from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tasks_app.documents.merge import markdown, merge_markdown


def part(text: str = "", *, pages: Any = (1, 1), truncated: bool = False, error: str = "") -> dict[str, Any]:
    return {"pages": list(pages) if pages else None, "text": text, "truncated": truncated, "error": error}


def test_each_page_has_its_heading_in_the_given_order() -> None:
    merged = merge_markdown("report.pdf", [part("One.", pages=(3, 3)), part("Two.", pages=(4, 5))])
    assert merged == "# report.pdf\n\n## Page 3\n\nOne.\n\n## Pages 4–5\n\nTwo.\n\n"


def test_parts_of_one_page_share_its_heading() -> None:
    merged = merge_markdown("r", [part("a", pages=(2, 2)), part("b", pages=(2, 2)), part("c", pages=(3, 3))])
    assert merged == "# r\n\n## Page 2\n\na\n\nb\n\n## Page 3\n\nc\n\n"


def test_a_failed_page_says_so_in_its_place() -> None:
    merged = merge_markdown("r", [part(error="The filter\nstopped it.", pages=(7, 7))])
    assert "## Page 7\n\n> Page 7 has no answer: The filter stopped it.\n\n" in merged
    assert "> Pages 8–9 have no answer: no" in merge_markdown("r", [part(error="no", pages=(8, 9))])


def test_a_failed_part_of_a_page_does_not_speak_for_the_page() -> None:
    merged = merge_markdown("r", [part("fine", pages=(7, 7)), part(error="no", pages=(7, 7))])
    assert merged.endswith("## Page 7\n\nfine\n\n> A part of page 7 has no answer: no\n\n")


def test_a_cut_off_answer_is_marked() -> None:
    assert "half\n\n> The answer was cut off at the length limit.\n\n" in merge_markdown(
        "r", [part("half", truncated=True)]
    )


def test_parts_without_pages_are_named_by_their_place() -> None:
    merged = merge_markdown("r", [part("a", pages=None), part("b", pages=None)])
    assert merged == "# r\n\n## Part 1\n\na\n\n## Part 2\n\nb\n\n"


def test_a_hostile_title_stays_one_plain_line() -> None:
    merged = merge_markdown("<script>*x*</script>\n## Page 9\n[a](javascript:b)", [])
    assert merged == "# \\<script>\\*x\\*\\</script> ## Page 9 \\[a](javascript:b)\n\n"


def test_a_note_stands_before_the_title() -> None:
    assert "".join(markdown("r", [], note="Partial result: 1 of 2 parts.")).startswith(
        "> Partial result: 1 of 2 parts.\n\n# r\n\n"
    )


@given(st.lists(st.text(min_size=1), max_size=20))
def test_every_answer_is_in_the_document_as_it_came(texts: list[str]) -> None:
    merged = merge_markdown("r", [part(text, pages=(n, n)) for n, text in enumerate(texts)])
    position = 0
    for text in texts:
        position = merged.index(text.strip(), position) + len(text.strip())
