from typing import Any

import pytest
from django.test import Client

from tests.api.clients import program


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
