"""The one entrance for text from outside (C39)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.text import clean, one_line, shorten

ANY_CHARACTER = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("o\x00er", "o\ufffder"),
        ("x = \ud835", "x = \ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("oﬀer ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ", "offer fi fl ffi ffl st st"),
        ("x² ſ ½ Å e\u0301 \r\n\t\x1b", "x² ſ ½ Å e\u0301 \r\n\t\x1b"),
    ],
)
def test_only_what_cannot_be_stored_or_found_is_replaced(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(ANY_CHARACTER)
def test_clean_text_can_be_stored_anywhere_and_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert not {"\x00", *"ﬀﬁﬂﬃﬄﬅﬆ"} & set(cleaned)
    assert json.loads(json.dumps(cleaned).encode()) == cleaned.encode().decode()
    assert clean(cleaned) == cleaned


@given(ANY_CHARACTER)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(ANY_CHARACTER, st.integers(min_value=1, max_value=20))
def test_a_shortened_text_keeps_to_its_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
    assert shorten(text, len(text)) == text


def test_a_cut_is_shown() -> None:
    assert shorten("one two three", 9) == "one two…"
