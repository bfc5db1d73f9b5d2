"""Headings of a Markdown text, and what only looks like one."""

import pytest

from tasks_app.documents.headings import headings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("# One\n\ntext\n\n### Two ##\n", ["One", "Two"], id="hash signs"),
        pytest.param("# One\r\ntext\r\n", ["One"], id="line ends of Windows"),
        pytest.param("One\n===\n\ntext\n\nTwo\n---\n", ["One", "Two"], id="underlined"),
        pytest.param("```\n# no\n```\n# One", ["One"], id="fence"),
        pytest.param("~~~ python\n# no\n```\n# no\n~~~\n# One", ["One"], id="fence of the other sign inside"),
        pytest.param("````\n```\n# no\n````\n# One", ["One"], id="shorter fence inside"),
        pytest.param("```\n# no", [], id="fence never closed"),
        pytest.param("#hashtag\n####### seven\n    # code\n", [], id="no heading"),
        pytest.param("text\n\n---\n\ntext", [], id="a rule"),
        pytest.param("- item\n---\n| a |\n|---|\n", [], id="a rule after a list, a table"),
        pytest.param("# `a` *b*\x0b c", ["`a` *b* c"], id="one line, marks stay"),
        pytest.param("# a" + " " * 1_000_000 + "x", ["a x"], id="white space without end"),
        pytest.param("# C# and F#\n# C # #\n", ["C# and F#", "C #"], id="hash signs that are words"),
        pytest.param("# " + "x" * 500, ["x" * 199 + "…"], id="long"),
    ],
)
def test_headings_are_found(text: str, found: list[str]) -> None:
    assert [words for _, words in headings(text)] == found


def test_positions_are_those_of_the_line() -> None:
    assert list(headings("ab\n# One\n")) == [(3, "One")]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["# a " + " #" * 200_000 + " x", "`" * 400_000, "a" * 400_000 + "\n=", " " * 400_000])
def test_no_text_makes_it_slow(text: str) -> None:
    assert len(list(headings(text))) <= 1
