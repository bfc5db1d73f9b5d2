"""The endpoint's own words in our messages."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from tasks_app.endpoint import ModelAnswer, complete
from tasks_app.exceptions import Unavailable
from tests.endpoint.conftest import Failing, error_body
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint_behaviours import Behaviour, status, text


def words(failing: Failing, body: object) -> str:
    return str(failing(status(500, body))).removeprefix("The model endpoint could not answer (HTTP 500)")


def test_control_characters_become_spaces(failing: Failing) -> None:
    assert words(failing, error_body("one\r\ntwo\t\x1b[31mthree\u2028four")) == ": one two [31mthree four"


def test_nul_and_lone_surrogates_become_replacement_characters(failing: Failing) -> None:
    assert words(failing, error_body("nul \x00, half \ud83d.")) == ": nul \ufffd, half \ufffd."


def test_a_long_message_is_cut_to_500_characters(failing: Failing) -> None:
    assert len("The model endpoint could not answer (HTTP 500)" + words(failing, error_body("x" * 10_000))) == 500


def test_markup_in_a_message_stays_text(failing: Failing) -> None:
    assert words(failing, error_body("bad <script>alert(1)</script>")) == ": bad <script>alert(1)</script>"


@pytest.mark.parametrize("body", ["<html><h1>502 Bad Gateway</h1></html>", "", "null", "[]", {"error": None}])
def test_a_body_without_words_gives_a_whole_sentence(failing: Failing, body: object) -> None:
    assert words(failing, body) == "."


@pytest.mark.parametrize("body", [{"error": "plain"}, {"detail": "plain"}, {"message": "plain"}, "plain"])
def test_words_are_found_where_endpoints_put_them(failing: Failing, body: object) -> None:
    assert words(failing, body) == ": plain"


def test_a_short_key_is_no_pattern(failing: Failing, settings: Settings) -> None:
    settings.MODEL_API_KEY = "none"
    assert words(failing, error_body("none of the slots is free")) == ": none of the slots is free"


def test_an_answer_is_cleaned_at_the_entrance(answered: Callable[[Behaviour], ModelAnswer]) -> None:
    assert answered(text("nul \x00, half \ud83d.")).text == "nul \ufffd, half \ufffd."


@pytest.mark.usefixtures("endpoint")
def test_a_key_that_no_header_takes_is_not_shown(settings: Settings) -> None:
    settings.MODEL_API_KEY = "sk-very-secret-key\n"
    with pytest.raises(Unavailable) as caught:
        complete(MemoryContext(), page(1))
    assert "Illegal header value" in str(caught.value)
    assert "secret" not in str(caught.value)
