from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.endpoint import ModelEndpoint


@pytest.fixture(autouse=True)
def store(settings: Any, tmp_path: Path) -> Path:
    """Work folders of this test alone."""
    settings.VAR_DIR = tmp_path
    return tmp_path


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ModelEndpoint]:
    with ModelEndpoint() as running:
        settings.MODEL_BASE_URL = running.base_url
        settings.LONGHAUL_MODEL_CONCURRENCY = 4
        settings.LONGHAUL_BACKOFF_BASE_SECONDS = 0.02
        yield running
