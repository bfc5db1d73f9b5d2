from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import Settings

from tasks_app.endpoint import ModelAnswer, complete
from tasks_app.exceptions import LonghaulError
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import Behaviour

Failing = Callable[[Behaviour], LonghaulError]


@pytest.fixture(scope="module")
def one_endpoint() -> Iterator[ModelEndpoint]:
    with ModelEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(one_endpoint: ModelEndpoint, settings: Settings) -> ModelEndpoint:
    one_endpoint.reset()
    settings.MODEL_BASE_URL = one_endpoint.base_url
    settings.MODEL_API_KEY = "sk-very-secret-key"
    settings.MODEL_NAME = "scripted"
    return one_endpoint


@pytest.fixture
def context() -> MemoryContext:
    return MemoryContext()


@pytest.fixture
def answered(endpoint: ModelEndpoint, context: MemoryContext) -> Callable[[Behaviour], ModelAnswer]:
    """The answer to page 1 when the endpoint behaves so."""

    def answered(behaviour: Behaviour) -> ModelAnswer:
        endpoint.script("PAGE-0001", [behaviour])
        return complete(context, page(1))

    return answered


@pytest.fixture
def failing(endpoint: ModelEndpoint, context: MemoryContext) -> Failing:
    """The error for page 1 when the endpoint behaves so, after what holds of every error was checked."""

    def failing(behaviour: Behaviour) -> LonghaulError:
        endpoint.script("PAGE-0001", [behaviour])
        with pytest.raises(LonghaulError) as caught:
            complete(context, page(1))
        assert context.outcomes == [caught.value.code]
        assert len(endpoint.calls) == 1, "the SDK must not repeat a call by itself"
        check_message(str(caught.value))
        return caught.value

    return failing


def check_message(message: str) -> None:
    assert message.startswith("The ")
    assert len(message) <= 500
    assert message.isprintable()
    assert "secret" not in message


def error_body(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}
