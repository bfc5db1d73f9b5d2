from typing import Any

from tasks_app.work.secrets import Secret, seal, unseal
from tasks_app.work.values import digest


def test_what_is_sealed_comes_back_and_cannot_be_read_meanwhile() -> None:
    sealed = seal({"password": "vîew"})
    assert "vîew" not in sealed
    assert unseal(sealed)["password"].reveal() == "vîew"


def test_nothing_is_sealed_as_nothing() -> None:
    assert seal({"password": ""}) == ""
    assert unseal("") == {}


def test_the_same_secret_never_looks_the_same() -> None:
    assert seal({"password": "view"}) != seal({"password": "view"})


def test_a_secret_under_another_key_is_lost_and_said_so(settings: Any, caplog: Any) -> None:
    sealed = seal({"password": "view"})
    settings.SECRET_KEY = "another"
    assert unseal(sealed) == {}
    assert "another SECRET_KEY" in caplog.text
    assert sealed not in caplog.text


def test_a_secret_tells_itself_to_nobody() -> None:
    secret = Secret("view")
    assert "view" not in f"{secret} {secret!r} {[secret]}"
    assert digest(secret) == digest(Secret("another"))
