"""What the person at the terminal reads once the page answers."""

from pathlib import Path

from .accounts import OPERATOR, USER


def welcome(address: str, *, passwords: dict[str, str | None], kept_in: Path) -> str:
    return "\n".join(
        [
            "",
            f"  Longhaul is ready: {address}",
            f"  to use it:         {account(USER, passwords)}",
            f"  to operate it:     {account(OPERATOR, passwords)}, at {address}/admin/",
            f"  (passwords are kept in {kept_in}; Ctrl-C stops everything)",
            "",
        ]
    )


def account(name: str, passwords: dict[str, str | None]) -> str:
    if password := passwords[name]:
        return f"{name} / {password}"
    return f"{name} (password not kept here: `manage.py changepassword {name}` sets a new one)"
