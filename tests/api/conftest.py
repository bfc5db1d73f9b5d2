from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.api.clients import program


@pytest.fixture(autouse=True)
def files(settings: Any, tmp_path: Path) -> Path:
    """The folder of stored files."""
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "files"


@pytest.fixture
def client(user: Any) -> Client:
    """A program of the user."""
    return program(user)


@pytest.fixture
def other(stranger: Any) -> Client:
    """A program of another user."""
    return program(stranger)


@pytest.fixture
def nobody(db: None) -> Client:
    return Client(raise_request_exception=False)
