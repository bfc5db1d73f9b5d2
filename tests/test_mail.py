"""EMAIL_URL, in Django's MAILERS."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.mail import mailers


def mailer(monkeypatch: pytest.MonkeyPatch, url: str) -> tuple[str, dict[str, Any]]:
    """The module of its backend, and its options."""
    monkeypatch.setenv("EMAIL_URL", url)
    default = mailers("EMAIL_URL")["default"]
    return default["BACKEND"].split(".")[-2], default["OPTIONS"]


@pytest.mark.parametrize(
    ("url", "encryption"),
    [
        ("smtp://host", (False, False)),
        ("smtp+tls://host", (True, False)),
        ("smtps://host", (False, True)),
        ("smtp+ssl://host", (False, True)),
    ],
)
def test_the_scheme_says_how_a_mail_server_is_spoken_to(
    monkeypatch: pytest.MonkeyPatch, url: str, encryption: tuple[bool, bool]
) -> None:
    backend, options = mailer(monkeypatch, url)
    assert backend == "smtp"
    assert (options["use_tls"], options["use_ssl"]) == encryption
    assert (options["host"], options["port"], options["timeout"]) == ("host", None, 10)


def test_signs_of_a_password_are_written_with_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    _, options = mailer(monkeypatch, "smtp+tls://ann%40example.org:p%3Aw%2F@mail.example.org:587")
    assert (options["username"], options["password"]) == ("ann@example.org", "p:w/")
    assert (options["host"], options["port"]) == ("mail.example.org", 587)


@pytest.mark.parametrize("url", ["", "consolemail://"])
def test_without_a_server_messages_are_written_out(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    assert mailer(monkeypatch, url) == ("console", {})


def test_they_can_be_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mailer(monkeypatch, "filemail:///var/mail%20box") == ("filebased", {"file_path": "/var/mail box"})


@pytest.mark.parametrize(
    "url",
    [
        "http://user:hush@host",
        "smtp://",
        "smtp://user:hush@host:port",
        "filemail://",
        "nonsense",
        "smtp://user:[hush@host",
        "smtp://user:hush\u2100@host",
    ],
)
def test_a_bad_one_stops_the_start_with_a_sentence_that_shows_no_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"EMAIL_URL: expected smtp://, smtp\+tls:// \(STARTTLS\)") as caught:
        mailer(monkeypatch, url)
    assert "hush" not in f"{caught.value} {caught.value.__cause__}"
