"""One throttle for each process."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tasks_app.endpoint.throttle import throttle
from tasks_app.redis_link import RedisLink


@pytest.mark.usefixtures("redis")
def test_lanes_that_begin_at_once_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(**values: Any) -> Any:
        time.sleep(0.2)
        return RedisLink(**values)

    monkeypatch.setattr(throttle, "RedisLink", slow)
    with ThreadPoolExecutor(8) as lanes:
        asked = [lanes.submit(throttle.throttle, endpoint="http://one/v1", model_name="m") for _ in range(8)]
    assert len({id(one.result()) for one in asked}) == 1
