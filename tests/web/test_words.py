import pytest

from tasks_app.models import Status
from tasks_app.web import words
from tasks_app.web.shown import duration, page_label


@pytest.mark.parametrize("table", [words.STATES, words.SENTENCES])
def test_every_state_has_its_words(table: dict[str, str]) -> None:
    assert set(table) == {*Status.values, "stopping", "partly"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s"),
        (59.9, "59 s"),
        (60, "1 min 00 s"),
        (3599, "59 min 59 s"),
        (3720, "1 h 02 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_a_duration_is_said_in_two_units_at_most(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (2048, "2 KB"), (50 * 1024**2, "50 MB"), (1_258_291, "1.2 MB")],
)
def test_a_size_is_said_in_one_unit(count: int, text: str) -> None:
    assert words.size(count) == text


def test_pages_are_named_by_first_and_last() -> None:
    assert page_label([3, 3]) == "Page 3"
    assert page_label([3, 5]) == "Pages 3–5"
