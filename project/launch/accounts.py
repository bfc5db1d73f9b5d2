"""The two people that a fresh Longhaul knows: a user to try it, and an operator for the admin."""

import json
import os
import secrets
from pathlib import Path

from django.contrib.auth import get_user_model

USER = "demo"
OPERATOR = "operator"
PASSWORD_BYTES = 12


def ensure_accounts(path: Path) -> dict[str, str | None]:
    """Create whoever is missing; give the passwords kept in `path`, None for one that was never kept there.

    Who exists is left alone, whatever became of the password since.
    """
    kept: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    missing = [name for name in (USER, OPERATOR) if not get_user_model().objects.filter(username=name).exists()]
    new = {name: secrets.token_urlsafe(PASSWORD_BYTES) for name in missing if name not in kept}
    if new:
        # Kept before it is used: a password that only a crashed start knew would be lost.
        keep(path, kept | new)
    passwords = kept | new
    for name in missing:
        create(name, password=passwords[name])
    return {name: passwords.get(name) for name in (USER, OPERATOR)}


def create(name: str, *, password: str) -> None:
    users = get_user_model().objects
    if name == OPERATOR:
        users.create_superuser(username=name, password=password)
    else:
        users.create_user(username=name, password=password)


def keep(path: Path, passwords: dict[str, str]) -> None:
    """Write the file as a whole, readable by its owner only from its first byte on."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(passwords, file, indent=2)
        file.write("\n")
    draft.replace(path)
