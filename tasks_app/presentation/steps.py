from typing import Any

from tasks_app.models import StepResult

from .sizes import VALUE_JSON_BYTES, cut_text, json_bytes, message
from .times import iso


def step_object(step: StepResult) -> dict[str, Any]:
    """A step or item as API, WebSocket and page show it.

    `text`: the item's text, its first 16 KB at most. `value`: JSON that is small and no text. `cut`: there is more
    than is shown. `parts`: of a combination, the parts that it combines. `whole`: it is about the whole document.
    `truncated`: the endpoint's answer itself was cut off at the length limit.
    """
    value = _shown_value(step)
    fields = value if isinstance(value, dict) else {}
    return {
        "index": step.index,
        "name": step.name,
        "is_item": step.is_item,
        "status": step.status,
        "pages": range_of(fields, "pages"),
        "parts": range_of(fields, "parts"),
        "whole": bool(fields.get("whole", False)),
        **_shown(step, value),
        "truncated": bool(fields.get("truncated", False)),
        "tries": step.tries,
        "attempt": step.attempt,
        "duration_seconds": round(step.duration_seconds, 3),
        "error": {"code": step.error_code, "message": message(step.error_text)} if step.error_code else None,
        "version": step.version,
        "created_at": iso(step.created_at),
    }


def item_value(step: StepResult) -> Any:
    """The value of an item from wherever it lies; of another step only what its row holds. None where a file is gone.

    Files of other steps (a split document) can be as large as the document and are shown to nobody.
    """
    if step.value_file and not step.is_item:
        return None
    try:
        return step.load()
    except FileNotFoundError:
        return None


def _shown_value(step: StepResult) -> Any:
    """As `item_value`, but of a large item the preview that its row keeps."""
    return step.value if step.value_file and step.is_item and step.value is not None else item_value(step)


def range_of(fields: dict[str, Any], name: str) -> list[int] | None:
    """The first and the last of the `name` ("pages", "parts") that an item's value is about, where it says so."""
    match fields.get(name):
        case [int(first), int(last)]:
            return [first, last]
        case _:
            return None


def text_of(value: Any) -> str | None:
    text = value.get("text") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _shown(step: StepResult, value: Any) -> dict[str, Any]:
    text = text_of(value)
    if text is not None:
        shown = cut_text(text)
        return {"text": shown, "value": None, "cut": bool(step.value_file) or len(shown) < len(text)}
    missing = value is None and bool(step.value_file)
    big = missing or json_bytes(value) > VALUE_JSON_BYTES
    return {"text": None, "value": None if big else value, "cut": big}
