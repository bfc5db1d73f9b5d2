from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.realtime.servers import RedisServer


@pytest.fixture
def redis(tmp_path: Path, settings: Any) -> Iterator[RedisServer]:
    """Of this test alone; what counts asks it."""
    server = RedisServer(tmp_path)
    settings.REDIS_URL = server.url
    server.start()
    yield server
    server.stop()
