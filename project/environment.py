"""Reads the environment loudly: a bad value stops the start with a sentence."""

import os
import secrets
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()


def expected(name: str, sentence: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name}={os.environ.get(name, '')!r}: expected {sentence}.")


def whole_number(name: str, default: int, *, at_least: int = 1) -> int:
    value = os.environ.get(name, "").strip() or str(default)
    if not value.isdecimal() or int(value) < at_least:
        raise expected(name, f"a whole number of at least {at_least}, for example {default}")
    return int(value)


def seconds(name: str, default: float) -> float:
    return _positive(name, default, of="seconds")


def minutes(name: str, default: float) -> float:
    return _positive(name, default, of="minutes")


def _positive(name: str, default: float, *, of: str) -> float:
    value = os.environ.get(name, "").strip() or str(default)
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise expected(name, f"a positive number of {of}, for example {default}")
    return number


def switch(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value not in {"", "0", "1", "true", "false", "yes", "no", "on", "off"}:
        raise expected(name, "1 or 0")
    return default if value == "" else value in {"1", "true", "yes", "on"}


def names(name: str, default: list[str]) -> list[str]:
    value = os.environ.get(name, "")
    return [part.strip() for part in value.split(",") if part.strip()] or default


def url(name: str, default: str, *, schemes: tuple[str, ...]) -> str:
    value = os.environ.get(name, "").strip() or default
    if value and value.partition(":")[0].lower() not in schemes:
        # Its value is not shown: a password may stand in it, and the address of a webhook is one.
        starts = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: expected a URL that starts with {starts}.")
    return value


def header(name: str, default: str) -> str:
    """A secret that is sent in a header. A file's line break at its end is not part of it.

    What no header takes is refused here, without its value: a client would show all of it in its error.
    """
    value = os.environ.get(name, "").strip() or default
    if not (value.isascii() and value.isprintable()):
        raise ImproperlyConfigured(f"{name}: expected printable ASCII on one line.")
    return value


def secret_key(var: Path) -> str:
    """SECRET_KEY of the environment, else one made once and kept under var/ (readable by its owner only)."""
    if value := os.environ.get("SECRET_KEY"):
        return value
    path = var / "secret_key"
    if not path.exists():
        # Two processes may start at once: write aside, then link, which fails where the other was first.
        draft = path.with_name(f"secret_key.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()
