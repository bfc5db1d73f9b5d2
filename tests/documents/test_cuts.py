"""Where a text is cut: nothing lost, no character in two, no piece too long or blank."""

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_app.documents import cuts
from tasks_app.documents.cuts import cut

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ACCENT = "e\u0301"
FLAG = "🇩🇪"
ODD = FAMILY + ACCENT + FLAG + "\r\n"

# Everything that tempts a splitter: long characters, line ends, Markdown's marks.
FRAGMENTS = [
    *(
        FAMILY,
        ACCENT,
        FLAG,
        "\r\n",
        "\r",
        "\n",
        "\n\n",
        " ",
        "   ",
        "word",
        "中文。",
        "👍🏽",
        "❤\ufe0f",
        "क्षि",
        "\u1100\u1161",
    ),
    *(
        "a" + "\u0301" * 9,
        "\u0301",
        "\u200d",
        "\ufe0f",
        "\u0600",
        "1",
        "# a\n",
        "- [ ] x\n",
        "```\n",
        "&amp;",
        "[a](b)",
    ),
    *("|a|b|\n|-|-|\n|x|y|\n", "<div>", "\t", "\u2028", "A sentence. "),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=60).map("".join)
SIZES = st.sampled_from([1, 2, 7, 12, 64])


def borders(text: str) -> set[int]:
    return {0} | {character.end() for character in regex.finditer(r"\X", text)}


def starts(pieces: list[str]) -> list[int]:
    return [sum(map(len, pieces[:index])) for index in range(len(pieces))]


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, size=SIZES, markdown=st.booleans())
def test_no_cut_loses_or_harms_anything(text: str, size: int, markdown: bool) -> None:
    pieces = cut(text, max_characters=size, markdown=markdown)
    assert "".join(pieces) == text
    assert set(starts(pieces)) <= borders(text)
    assert all(piece.strip() for piece in pieces) or pieces == [text]
    longest_character = max(len(character) for character in regex.findall(r"\X", text))
    assert max(len(piece.strip()) for piece in pieces) <= max(size, longest_character)
    assert pieces == cut(text, max_characters=size, markdown=markdown)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, size=SIZES)
def test_the_border_of_a_block_is_no_weak_place(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "BLOCK_PARTS", 2)
        pieces = cut(text * 10, max_characters=size, markdown=False)
    assert "".join(pieces) == text * 10
    assert set(starts(pieces)) <= borders(text * 10)


def test_a_line_end_on_the_border_of_a_block_stays_whole() -> None:
    border = cuts.BLOCK_PARTS * 4
    pieces = cut("a" * (border - 1) + "\r\nb c", max_characters=4, markdown=False)
    assert pieces[-3:] == ["aaa", "\r\nb ", "c"]


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_five_thousand_odd_characters_survive_every_size(size: int, markdown: bool) -> None:
    text = ODD * 5000
    pieces = cut(text, max_characters=size, markdown=markdown)
    assert "".join(pieces) == text
    assert not [piece for piece in pieces if piece[0] in "\u200d\u0301\ufe0f\n"]
    assert all(piece.strip() for piece in pieces)
    # Regional indicators come in pairs: half a flag on one side would leave an odd number.
    assert all((piece.count("🇩"), piece.count("🇪")) == (piece.count(FLAG),) * 2 for piece in pieces)


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut("One. Two.\n\nThree.", max_characters=17, markdown=False) == ["One. Two.\n\nThree."]


def test_a_paragraph_is_a_better_place_than_a_sentence_and_that_than_a_word() -> None:
    text = "One two. Three.\n\nFour five six seven."
    assert cut(text, max_characters=22, markdown=False) == ["One two. Three.\n\n", "Four five six seven."]
    assert cut("One two. Three four.", max_characters=12, markdown=False) == ["One two. ", "Three four."]


def test_a_markdown_heading_stays_with_its_text() -> None:
    text = "# One\n\nText of one.\n\n# Two\n\nText of two.\n"
    assert cut(text, max_characters=30, markdown=True) == ["# One\n\nText of one.\n\n", "# Two\n\nText of two.\n"]


def test_white_space_goes_with_the_text_beside_it() -> None:
    text = "\n" * 50 + "one" + " " * 50 + "two" + "\n" * 50
    pieces = cut(text, max_characters=7, markdown=False)
    assert "".join(pieces) == text
    assert [piece.strip() for piece in pieces] == ["one", "two"]


@pytest.mark.timeout(20)
def test_a_word_of_four_million_letters_is_cut_in_seconds() -> None:
    text = "x" * 4_000_000
    assert "".join(cut(text, max_characters=1500, markdown=False)) == text


@pytest.mark.timeout(20)
def test_a_letter_under_half_a_million_accents_is_left_whole_in_seconds() -> None:
    letter = "e" + "\u0301" * 500_000
    assert cut("a " + letter + " b", max_characters=20, markdown=False) == ["a ", letter, " b"]
