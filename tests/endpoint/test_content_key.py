"""What makes two requests the same request."""

import pytest
from pytest_django import Settings

from tasks_app.endpoint import ModelAnswer, ModelRequest, complete
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint

MESSAGES = ({"role": "user", "content": "PAGE-0001"},)


def key_of(request: ModelRequest) -> str:
    context = MemoryContext()
    complete(context, request)
    return context.calls[0].content_key


def test_equal_requests_have_one_key(endpoint: ModelEndpoint) -> None:
    turned_round = ({"content": "PAGE-0001", "role": "user"},)
    first, second = key_of(ModelRequest(MESSAGES, 64)), key_of(ModelRequest(turned_round, 64, temperature=0))
    assert first == second
    assert len(first) == 64


@pytest.mark.parametrize(
    "other",
    [
        ModelRequest(({"role": "user", "content": "PAGE-0002"},), 64),
        ModelRequest(({"role": "system", "content": "PAGE-0001"},), 64),
        ModelRequest(MESSAGES, 65),
        ModelRequest(MESSAGES, 64, temperature=0.5),
    ],
)
def test_any_difference_changes_the_key(endpoint: ModelEndpoint, other: ModelRequest) -> None:
    assert key_of(ModelRequest(MESSAGES, 64)) != key_of(other)


def test_another_model_or_address_changes_the_key(endpoint: ModelEndpoint, settings: Settings) -> None:
    keys = {key_of(page(1))}
    settings.MODEL_NAME = "another"
    keys.add(key_of(page(1)))
    settings.MODEL_BASE_URL = endpoint.base_url.replace("127.0.0.1", "localhost")
    keys.add(key_of(page(1)))
    assert len(keys) == 3


def test_a_slash_at_the_end_and_a_password_in_the_address_are_neither_here_nor_there(
    endpoint: ModelEndpoint, settings: Settings
) -> None:
    key = key_of(page(1))
    settings.MODEL_BASE_URL = endpoint.base_url.replace("//", "//user:secret@") + "/"
    context = MemoryContext()
    complete(context, page(1))
    assert context.calls[0].content_key == key
    assert context.calls[0].endpoint == endpoint.base_url


def test_an_answer_survives_the_ledger() -> None:
    answer = ModelAnswer("text", "stop", 3, 4)
    assert ModelAnswer.from_json(answer.to_json()) == answer
