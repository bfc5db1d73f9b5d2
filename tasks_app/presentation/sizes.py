"""Cuts that keep a frame of the WebSocket below 64 KB, however its text is encoded."""

import json
from typing import Any

from tasks_app.text import shorten

TEXT_BYTES = 16 * 1024
# A control character is 1 byte in UTF-8 and 6 in JSON: text made of them is cut shorter.
TEXT_JSON_BYTES = 48_000
VALUE_JSON_BYTES = 16 * 1024
INPUT_JSON_BYTES = 32_000
MESSAGE_CHARACTERS = 1000


def json_bytes(value: Any) -> int:
    """Size of its JSON in ASCII, the longest form in which it is sent."""
    return len(json.dumps(value))


def cut_text(text: str) -> str:
    """The first 16 KB of it at most, with no character cut apart."""
    start = text[:TEXT_BYTES].encode()[:TEXT_BYTES].decode(errors="ignore")
    return start if json_bytes(start) <= TEXT_JSON_BYTES else start[: TEXT_JSON_BYTES // 6]


def message(text: str) -> str:
    return shorten(text, MESSAGE_CHARACTERS)


def small_input(fields: dict[str, Any]) -> dict[str, Any]:
    """A task's input: whole where it is small, else with its long texts shortened, else without what is too big."""
    shortened = {name: message(value) if isinstance(value, str) else value for name, value in fields.items()}
    return next((one for one in (fields, shortened) if json_bytes(one) <= INPUT_JSON_BYTES), {})
