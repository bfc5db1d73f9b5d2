"""Sentences for what pydantic finds wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

PLACES = ("query", "body", "path", "header", "form")
WEBHOOKS = "Webhooks are not part of this version: ask GET /api/tasks/{id}, or listen to /ws/tasks/{id}/."


def sentences(errors: Iterable[Mapping[str, Any]], *, known: Iterable[str] = ()) -> dict[str, list[str]]:
    """By field. `errors`: as `ValidationError.errors()` of pydantic or ninja; `known`: the fields there are."""
    found: dict[str, list[str]] = {}
    for error in errors:
        found.setdefault(_field(error["loc"]), []).append(_sentence(error, list(known)))
    return found


def _field(location: tuple[Any, ...]) -> str:
    names = [str(name) for name in location]
    return ".".join(names[1:] if len(names) > 1 and names[0] in PLACES else names) or "body"


def _sentence(error: Mapping[str, Any], known: list[str]) -> str:
    if error["type"] == "missing":
        return "This field is required."
    if error["type"] == "extra_forbidden":
        return _unknown(str(error["loc"][-1]), known)
    text = str(error["msg"]).removeprefix("Value error, ")
    return text if text.endswith(".") else f"{text}."


def _unknown(name: str, known: list[str]) -> str:
    if name == "webhook_url":
        return WEBHOOKS
    return f"Unknown field; expected one of: {', '.join(known)}." if known else "Unknown field."
