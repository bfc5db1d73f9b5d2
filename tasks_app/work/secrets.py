"""Input that must not be kept in the clear, such as a password: encrypted in the task's row, and only until it ends."""

import base64
import hashlib
import json
import logging
from collections.abc import Mapping

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

logger = logging.getLogger(__name__)


class Secret:
    """A secret as its kind gets it. It tells itself to nobody: no log, no traceback, no step's key."""

    step_key = "secret"

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(***)"


def seal(values: Mapping[str, str]) -> str:
    """The values by field name, encrypted with a key made of SECRET_KEY; "" for none."""
    given = {name: value for name, value in values.items() if value}
    return _cipher().encrypt(json.dumps(given).encode()).decode() if given else ""


def unseal(sealed: str) -> dict[str, Secret]:
    """What `seal` was given; nothing where SECRET_KEY has changed since."""
    if not sealed:
        return {}
    try:
        values: dict[str, str] = json.loads(_cipher().decrypt(sealed.encode()))
    except InvalidToken:
        logger.warning("a task's secrets were encrypted under another SECRET_KEY and are lost")
        return {}
    return {name: Secret(value) for name, value in values.items()}


def _cipher() -> Fernet:
    key = hashlib.sha256(b"longhaul.task.secrets:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
