from typing import Any

import pytest
from django.tasks import task
from django.test import Client

from tasks_app.kinds import registry
from tests.web.toy import LettersForm, write_letters


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


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kind that only this test knows."""
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    declare: Any = task
    declare(kind="toy.letters", title="Write letters", queue_name="cpu", form=LettersForm)(write_letters)
    return "toy.letters"
