"""Where a text is cut: nothing lost, no character in two, no piece too large or blank, few questions asked."""

from collections.abc import Callable
from itertools import pairwise

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_app.documents.cuts import Size, cut
from tasks_app.documents.sizes import estimated_tokens

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ACCENT = "e\u0301"
FLAG = "🇩🇪"
ODD = FAMILY + ACCENT + FLAG + "\r\n"

# Everything that tempts a splitter: long characters, line ends, Markdown's marks, words of every length.
FRAGMENTS = [
    *(FAMILY, ACCENT, FLAG, "\r\n", "\r", "\n", "\n\n", " ", "   ", "word", "中文。", "👍🏽", "❤\ufe0f", "क्षि"),
    *("\u1100\u1161", "a" + "\u0301" * 9, "\u0301", "\u200d", "\ufe0f", "\u0600", "1", "# a\n", "- [ ] x\n", "```\n"),
    *("&amp;", "[a](b)", "|a|b|\n|-|-|\n|x|y|\n", "<div>", "\t", "\u2028", "A sentence. ", "extraordinarily", " 3.14 "),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=60).map("".join)
LIMITS = st.sampled_from([1, 2, 7, 12, 64])


class Counted:
    """A size that knows how often it was asked."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.times = 0

    def __call__(self, text: str) -> int:
        self.times += 1
        return self.size(text)


PAIRS = ["th", "er", "wo", "rd", "nt", "en", "ce", "  ", ". ", "\n\n", "ord", "word", "tence", " sentence", "中文"]
PIECE = regex.compile("|".join(sorted(map(regex.escape, PAIRS), key=len, reverse=True)) + "|.", regex.DOTALL)


def fake_tokens(text: str) -> int:
    """Like a real tokenizer: frequent letters together are one token, so two halves can be more than the whole."""
    return sum(1 if found[0] in PAIRS else len(found[0].encode()) for found in PIECE.finditer(text))


SIZES: list[Size] = [len, estimated_tokens, fake_tokens]


def borders(text: str) -> set[int]:
    return {0} | {character.end() for character in regex.finditer(r"\X", text)}


def starts(pieces: list[str]) -> list[int]:
    return [sum(map(len, pieces[:index])) for index in range(len(pieces))]


def split_words(text: str, pieces: list[str]) -> list[str]:
    """The words, as Unicode has them, that a cut went through between two letters."""
    ends = [border.start() for border in regex.finditer(r"(?w)\b", text)]
    cuts = [at for at in starts(pieces)[1:] if text[at - 1].isalnum() and text[at].isalnum()]
    return [text[begin:end] for begin, end in pairwise(ends) if any(begin < at < end for at in cuts)]


@settings(max_examples=500, deadline=None)
@given(text=TEXTS, limit=LIMITS, markdown=st.booleans(), size=st.sampled_from(SIZES))
def test_no_cut_loses_or_harms_anything(text: str, limit: int, markdown: bool, size: Size) -> None:
    pieces = cut(text, limit=limit, size=size, markdown=markdown)
    assert "".join(pieces) == text
    assert set(starts(pieces)) <= borders(text)
    assert all(piece.strip() for piece in pieces) or pieces == [text]
    assert all(size(piece.strip()) <= limit or regex.fullmatch(r"\X", piece.strip()) for piece in pieces)
    assert pieces == cut(text, limit=limit, size=size, markdown=markdown)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, limit=LIMITS, markdown=st.booleans(), size=st.sampled_from(SIZES))
def test_only_a_word_that_is_too_large_is_cut(text: str, limit: int, markdown: bool, size: Size) -> None:
    pieces = cut(text, limit=limit, size=size, markdown=markdown)
    assert all(size(word) > limit for word in split_words(text, pieces))


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=300), limit=LIMITS, size=st.sampled_from(SIZES))
def test_any_text_at_all_comes_back(text: str, limit: int, size: Size) -> None:
    pieces = cut(text, limit=limit, size=size, markdown=True)
    assert "".join(pieces) == text
    assert set(starts(pieces)) <= borders(text)


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("limit", [1, 7, 64, 1000])
@pytest.mark.parametrize("size", [len, estimated_tokens])
def test_five_thousand_odd_characters_survive_every_size(size: Size, limit: int, markdown: bool) -> None:
    text = ODD * 5000
    pieces = cut(text, limit=limit, size=size, markdown=markdown)
    assert "".join(pieces) == text
    assert not [piece for piece in pieces if piece[0] in "\u200d\u0301\ufe0f\n"]
    assert all(piece.strip() for piece in pieces)
    # Regional indicators come in pairs: half a flag on one side would leave an odd number.
    assert all((piece.count("🇩"), piece.count("🇪")) == (piece.count(FLAG),) * 2 for piece in pieces)


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut("One. Two.\n\nThree.", limit=17, size=len, markdown=False) == ["One. Two.\n\nThree."]


def test_a_paragraph_is_a_better_place_than_a_sentence_and_that_than_a_word() -> None:
    text = "One two. Three.\n\nFour five six seven."
    assert cut(text, limit=22, size=len, markdown=False) == ["One two. Three.\n\n", "Four five six seven."]
    assert cut("One two. Three four.", limit=12, size=len, markdown=False) == ["One two. ", "Three four."]


def test_a_markdown_heading_stays_with_its_text() -> None:
    text = "# One\n\nText of one.\n\n# Two\n\nText of two.\n"
    pieces = cut(text, limit=30, size=len, markdown=True)
    assert pieces == ["# One\n\nText of one.\n\n", "# Two\n\nText of two.\n"]


def test_white_space_goes_with_the_text_beside_it() -> None:
    text = "\n" * 50 + "one" + " " * 50 + "two" + "\n" * 50
    pieces = cut(text, limit=4, size=len, markdown=False)
    assert "".join(pieces) == text
    assert [piece.strip() for piece in pieces] == ["one", "two"]


def test_a_text_of_fewer_bytes_than_the_limit_needs_no_question() -> None:
    size = Counted(len)
    assert cut("Größe 3 µm", limit=13, size=size, markdown=False) == ["Größe 3 µm"]
    assert size.times == 0


PROSE = "The harbour was quiet in the early morning. Two boats lay at the wall, and a man counted the boxes.\n\n"


@pytest.mark.parametrize("size", [fake_tokens, estimated_tokens, len])
@pytest.mark.parametrize("limit", [100, 400, 2000])
def test_little_more_than_one_question_is_asked_for_each_piece(size: Size, limit: int) -> None:
    counted = Counted(size)
    pieces = cut(PROSE * 2000, limit=limit, size=counted, markdown=False)
    assert len(pieces) > 20
    assert counted.times <= 1.2 * len(pieces) + 3


@pytest.mark.parametrize("limit", [400, 2000])
def test_pieces_are_well_filled_where_the_language_changes(limit: int) -> None:
    text = PROSE * 300 + "海港清晨十分安静。" * 3000 + PROSE * 300
    pieces = cut(text, limit=limit, size=estimated_tokens, markdown=False)
    assert len(pieces) <= 1.25 * estimated_tokens(text) / limit


@pytest.mark.timeout(20)
@pytest.mark.parametrize("size", [len, lambda text: len(text) // 60 + 1])
def test_a_word_of_four_million_letters_is_cut_in_seconds(size: Callable[[str], int]) -> None:
    text = "x" * 4_000_000
    assert "".join(cut(text, limit=1500, size=size, markdown=False)) == text


@pytest.mark.timeout(20)
def test_a_letter_under_half_a_million_accents_is_left_whole_in_seconds() -> None:
    letter = "e" + "\u0301" * 500_000
    assert cut("a " + letter + " b", limit=20, size=len, markdown=False) == ["a ", letter, " b"]


@pytest.mark.timeout(20)
def test_a_million_blank_lines_are_no_million_pieces() -> None:
    text = "one" + " \n" * 1_000_000 + "two"
    assert len(cut(text, limit=50, size=len, markdown=False)) == 2


def test_flags_without_end_are_cut_between_flags() -> None:
    # Found quadratic: whether two letters make a flag depends on how many came before.
    text = FLAG * 200_000
    pieces = cut(text, limit=1000, size=estimated_tokens, markdown=False)
    assert "".join(pieces) == text
    assert all(len(piece) % len(FLAG) == 0 for piece in pieces)
