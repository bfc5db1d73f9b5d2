from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def client(user: Any) -> Client:
    """The browser of the user, signed in."""
    return signed_in(user)


@pytest.fixture
def other(stranger: Any) -> Client:
    """The browser of another user, signed in."""
    return signed_in(stranger)


@pytest.fixture
def nobody(db: None) -> Client:
    return Client()


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client
