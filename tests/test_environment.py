"""What the environment may say."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.environment import header


def test_the_line_break_at_a_files_end_is_no_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-1234\n")
    assert header("A_KEY", "none") == "sk-1234"


@pytest.mark.parametrize("key", ["sk-\nsecret", "sk-s\xfcecret"])
def test_a_key_that_no_header_takes_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("A_KEY", key)
    with pytest.raises(ImproperlyConfigured, match="A_KEY: expected printable ASCII on one line") as refused:
        header("A_KEY", "none")
    assert "secret" not in str(refused.value)
