import pytest

from tasks_app.documents.errors import PasswordNeeded
from tasks_app.models import Status
from tasks_app.web import words
from tasks_app.web.shown import page_range
from tasks_app.web.shown_steps import span


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
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (2048, "2 KB"), (50 * 1024**2, "50 MB"), (1_258_291, "1.2 MB")],
)
def test_a_size_is_said_in_one_unit(count: int, text: str) -> None:
    assert words.size(count) == text


@pytest.mark.parametrize(
    ("numbers", "text"), [([3, 3], "Page 3"), ([3, 5], "Pages 3–5"), (None, ""), ([], "")], ids=str
)
def test_pages_are_named_by_first_and_last(numbers: list[int] | None, text: str) -> None:
    assert span("Page", numbers) == text


@pytest.mark.parametrize(("pages", "text"), [("7", "page 7"), ("1-3", "pages 1-3"), ("1, 5-", "pages 1, 5-")])
def test_a_range_that_was_asked_for_has_its_word(pages: str, text: str) -> None:
    assert page_range(pages) == text


@pytest.mark.parametrize("wrong", [False, True])
def test_the_page_knows_by_its_words_that_a_password_is_needed(wrong: bool) -> None:
    assert words.IS_LOCKED in str(PasswordNeeded("PDF", wrong))


def test_every_sort_of_file_that_is_accepted_is_named_once() -> None:
    named = words.file_sorts().replace(" or ", ", ").split(", ")
    assert len(named) == len(set(named))
    assert named[0] == "PDF"


def test_an_unknown_kind_is_called_by_its_name() -> None:
    assert words.title("nobody.knows") == "nobody.knows"
    assert words.title("document.extract") == "Get the text of a document"
