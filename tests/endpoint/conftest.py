import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings
from redis import Redis

from project.launch.embedded_redis import answers, binary
from tasks_app.endpoint import ModelAnswer, complete
from tasks_app.endpoint.throttle import throttle
from tasks_app.exceptions import LonghaulError
from tests.endpoint.fakes import MemoryContext, page
from tests.endpoint.throttles import Process
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import Behaviour
from tests.support.programs import wait_until

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


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    """Of a Redis of this module's own."""
    with tempfile.TemporaryDirectory(prefix="lh-") as folder:
        socket = Path(folder) / "redis.sock"
        options = f"--port 0 --unixsocket {socket} --dir {folder} --appendonly no --save".split()
        server = subprocess.Popen([binary(), *options, ""], stdout=subprocess.DEVNULL)
        wait_until(lambda: answers(socket), 10, what="Redis answers")
        yield f"unix://{socket}"
        server.kill()
        server.wait()


@pytest.fixture
def redis(redis_url: str, settings: Settings) -> Redis:
    """Empty, and asked by the throttles of this process."""
    settings.REDIS_URL = redis_url
    throttle._throttle.cache_clear()
    Process.endpoint = f"http://{uuid.uuid4().hex}/v1"
    client = Redis.from_url(redis_url)
    client.flushall()
    return client
