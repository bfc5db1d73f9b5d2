"""Answers with status 200 that are no whole answers: none of them may pass as one (C46)."""

import pytest

from tasks_app.endpoint import (
    ContentFiltered,
    ContextTooLong,
    EmptyAnswer,
    Nonsense,
    RateLimited,
    RequestRefused,
    StreamBroken,
    StreamError,
)
from tasks_app.exceptions import PermanentError, RetryableError
from tests.endpoint.conftest import Failing
from tests.support import endpoint_behaviours as does
from tests.support.endpoint_behaviours import Behaviour

SHAPES = ["data: 7\n\n", "data: [1]\n\n", 'data: "text"\n\n', "data: null\n\n", 'data: {"choices": 3}\n\n']
SHAPES += [
    'data: {"choices": [{"delta": null}]}\n\n',
    'data: {"choices": [{"delta": {"content": [1]}}]}\n\n',
    "data: {}\n\n",
]


@pytest.mark.parametrize(
    "behaviour",
    [does.html(), does.broken_json(), does.no_chunks(), does.empty_choices(), does.garbage(), *map(does.raw, SHAPES)],
    ids=lambda behaviour: str(behaviour.get("body", behaviour["name"])),
)
def test_what_is_no_chat_completion_is_nonsense(failing: Failing, behaviour: Behaviour) -> None:
    error = failing(behaviour)
    assert isinstance(error, Nonsense)
    assert isinstance(error, RetryableError)
    assert error.code == "nonsense"
    assert "answered with something that is not a chat completion" in str(error)


def test_json_without_a_bottom_is_nonsense(failing: Failing) -> None:
    assert isinstance(failing(does.raw("data: " + "[" * 100_000 + "\n\n")), Nonsense)


def test_an_error_whose_body_breaks_off_is_retryable(failing: Failing) -> None:
    assert isinstance(failing(does.status(500, headers={"Content-Length": "9999"})), StreamBroken)


@pytest.mark.parametrize(
    "behaviour",
    [does.close_half("cut"), does.close_half("reset"), does.no_finish_reason()],
    ids=["cut", "reset", "clean end"],
)
def test_a_stream_that_breaks_off_is_no_answer(failing: Failing, behaviour: Behaviour) -> None:
    error = failing(behaviour)
    assert isinstance(error, StreamBroken)
    assert isinstance(error, RetryableError)
    assert error.code == "stream_broken"


@pytest.mark.parametrize(
    "behaviour",
    [does.empty_text(), does.null_content(), does.text(" \n"), does.finish_length(0)],
    ids=["empty", "null", "spaces", "length"],
)
def test_an_answer_without_text_is_no_answer(failing: Failing, behaviour: Behaviour) -> None:
    error = failing(behaviour)
    assert isinstance(error, EmptyAnswer)
    assert isinstance(error, RetryableError)
    assert error.code == "empty_answer"


def test_half_an_answer_before_the_content_filter_is_dropped(failing: Failing) -> None:
    error = failing(does.content_filter())
    assert isinstance(error, ContentFiltered)
    assert isinstance(error, PermanentError)
    assert error.code == "content_filter"


def test_an_error_inside_the_stream_keeps_its_words(failing: Failing) -> None:
    error = failing(does.error_in_stream())
    assert isinstance(error, StreamError)
    assert isinstance(error, RetryableError)
    assert error.code == "stream_error"
    assert "the engine stumbled" in str(error)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"code": 429}, RateLimited),
        ({"code": "429"}, RateLimited),
        ({"code": 400}, RequestRefused),
        ({"type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8}, ContextTooLong),
    ],
)
def test_an_error_inside_the_stream_that_names_its_kind_is_of_that_kind(
    failing: Failing, fields: dict[str, object], expected: type[Exception]
) -> None:
    assert type(failing(does.error_in_stream({"message": "no", **fields}))) is expected
