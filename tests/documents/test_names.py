"""File names: whatever a browser or a program sends becomes something that can be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.documents.names import INVISIBLE, MAX_CHARACTERS, clean_name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\report.pdf", "report.pdf"),
        ("a\r\nb\t.pdf", "ab.pdf"),
        ("report\u202efdp.exe", "reportfdp.exe"),
        ("NUL\x00 and half \ud83d.pdf", "NUL\ufffd and half \ufffd.pdf"),
        ("Familie 👨‍👩‍👧‍👦.md", "Familie 👨‍👩‍👧‍👦.md"),
        ("<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"),
        ("", "document"),
        ("..", "document"),
        ("folder/", "document"),
        (" \n ", "document"),
        (".profile", ".profile"),
    ],
)
def test_a_name_is_cleaned(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


def test_a_long_name_is_cut_and_keeps_its_suffix() -> None:
    assert clean_name("n" * 500 + ".pdf") == "n" * 196 + ".pdf"


@given(st.text(st.characters(), max_size=400))
def test_every_name_can_be_shown_and_stored(name: str) -> None:
    cleaned = clean_name(name)
    assert 1 <= len(cleaned) <= MAX_CHARACTERS
    assert not INVISIBLE.search(cleaned)
    assert not {"/", "\\", "\0"} & set(cleaned)
    cleaned.encode()
