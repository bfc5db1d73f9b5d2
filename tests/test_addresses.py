"""Addresses of the environment."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.environment import url


@pytest.mark.parametrize("address", ["hooks.example.org/services/hush", "redis//:hush@host", "ftp://user:hush@[host"])
def test_a_bad_one_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("AN_ADDRESS", address)
    with pytest.raises(ImproperlyConfigured, match="AN_ADDRESS: expected a URL that starts with https://") as refused:
        url("AN_ADDRESS", "", schemes=("https",))
    assert "hush" not in str(refused.value)


def test_the_scheme_may_be_written_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AN_ADDRESS", "HTTPS://host")
    assert url("AN_ADDRESS", "", schemes=("https",)) == "HTTPS://host"
