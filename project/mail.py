"""EMAIL_URL as Django's MAILERS."""

from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from .environment import env

# Of each wait for a mail server.
TIMEOUT_SECONDS = 10
BACKENDS = {
    "smtp": "smtp",
    # TLS begun by STARTTLS, usually on port 587; TLS from the first byte, usually on port 465.
    "smtp+tls": "smtp",
    "smtps": "smtp",
    "smtp+ssl": "smtp",
    "consolemail": "console",
    "filemail": "filebased",
    "memorymail": "locmem",
    "dummymail": "dummy",
}
EXPECTED = (
    "smtp://, smtp+tls:// (STARTTLS) or smtps:// with USER:PASSWORD@HOST:PORT, filemail:///folder, or consolemail://"
)


def mailers(name: str) -> dict[str, dict[str, Any]]:
    """Of the URL in that variable. Empty: messages are written to the program's output."""
    try:
        address = urlsplit(env.str(name, default="").strip() or "consolemail://")
        if address.scheme not in BACKENDS:
            raise _expected(name)
        options = _options(address)
    except ValueError:
        # Nor its own words: they may repeat the whole of it.
        raise _expected(name) from None
    backend = f"django.core.mail.backends.{BACKENDS[address.scheme]}.EmailBackend"
    return {"default": {"BACKEND": backend, "OPTIONS": options}}


def _expected(name: str) -> ImproperlyConfigured:
    # Its value is not shown: it may hold a password.
    return ImproperlyConfigured(f"{name}: expected {EXPECTED}.")


def _options(address: SplitResult) -> dict[str, Any]:
    """Raises ValueError where something is missing."""
    if address.scheme == "filemail":
        if not address.path:
            raise ValueError("no folder")
        return {"file_path": unquote(address.path)}
    if BACKENDS[address.scheme] != "smtp":
        return {}
    if not address.hostname:
        raise ValueError("no host")
    return {
        "host": address.hostname,
        "port": address.port,
        "username": unquote(address.username or ""),
        "password": unquote(address.password or ""),
        "use_tls": address.scheme == "smtp+tls",
        "use_ssl": address.scheme in ("smtps", "smtp+ssl"),
        "timeout": TIMEOUT_SECONDS,
    }
