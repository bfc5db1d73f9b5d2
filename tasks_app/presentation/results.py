"""The result of a task as a file: whole, or what there is of it so far."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from tasks_app.documents.merge import WHOLE, markdown
from tasks_app.models import StepResult, Task

from .steps import item_value, range_of, text_of

type Format = Literal["md", "json", "jsonl"]

# Items read at a time. No cursor stays open while a slow reader takes them: it would hold the database's snapshot.
ITEMS_AT_ONCE = 200
FILE_MISSING = {"code": "file_missing", "message": "The stored answer of this part is missing."}


def render(task: Task, fmt: Format, *, partial: bool) -> Iterator[str]:
    """The file in pieces. `partial`: say in it that it is not the result of a task that succeeded."""
    yield from RENDERERS[fmt](task, partial)


def item_object(step: StepResult) -> dict[str, Any]:
    """{index, name, pages, parts, whole, status, text, error, truncated}; `value` for an item that is no text.

    For what they mean see `step_object`.
    """
    value = item_value(step)
    fields = value if isinstance(value, dict) else {}
    text = text_of(value)
    item = {
        "index": step.index,
        "name": step.name,
        "pages": range_of(fields, "pages"),
        "parts": range_of(fields, "parts"),
        "whole": bool(fields.get("whole", False)),
        "status": step.status,
        "text": text,
        "error": _error(step, missing=value is None and bool(step.value_file)),
        "truncated": bool(fields.get("truncated", False)),
    }
    return item if text is not None or value is None or step.error_code else {**item, "value": value}


def _error(step: StepResult, *, missing: bool) -> dict[str, str] | None:
    if step.error_code:
        return {"code": step.error_code, "message": step.error_text}
    return FILE_MISSING if missing else None


def _items(task: Task) -> Iterator[dict[str, Any]]:
    after = -1
    while batch := list(StepResult.objects.filter(task=task, index__gt=after).items()[:ITEMS_AT_ONCE]):
        yield from map(item_object, batch)
        after = batch[-1].index


def _jsonl(task: Task, _partial: bool) -> Iterator[str]:
    for item in _items(task):
        yield f"{_json(item)}\n"


def _as_json(task: Task, partial: bool) -> Iterator[str]:
    document = {"id": str(task.document.pk), "name": task.document.name} if task.document else None
    head = {
        "id": str(task.pk),
        "kind": task.kind,
        "status": task.status,
        "partial": partial,
        "document": document,
    }
    value = None if partial else _load(task)
    # A text is made of the items, where there are any.
    if value is not None and not (isinstance(value, str) and _has_items(task)):
        head["value"] = value
    yield f'{_json(head)[:-1]}, "items": ['
    for number, item in enumerate(_items(task)):
        yield f"{',' if number else ''}\n{_json(item)}"
    yield "\n]}\n"


def _markdown(task: Task, partial: bool) -> Iterator[str]:
    whole = None if partial else _whole(task)
    if whole is not None:
        yield whole
        return
    note = _partial_note(task) if partial else ""
    title = task.document.name if task.document else task.kind
    yield from markdown(title, map(_part, _items(task)), note=note)


def _whole(task: Task) -> str | None:
    """The Markdown of a value: itself where it is text, a block of JSON where no item tells of it."""
    value = _load(task)
    if isinstance(value, str):
        return value
    return None if value is None or _has_items(task) else f"{_block(value)}\n"


def _load(task: Task) -> Any:
    try:
        return task.load()
    except FileNotFoundError:
        # Its items can still be merged again.
        return None


def _has_items(task: Task) -> bool:
    return StepResult.objects.filter(task=task).items().exists()


def _partial_note(task: Task) -> str:
    total = f" of {task.progress_total}" if task.progress_total else ""
    return f"Partial result: {task.progress_done}{total} parts."


def _part(item: Mapping[str, Any]) -> dict[str, Any]:
    text = item["text"] if item["text"] is not None else _block(item.get("value"))
    error = item["error"]["message"] if item["error"] else ""
    part = {"pages": item["pages"], "text": text, "truncated": item["truncated"], "error": error}
    return {**part, "name": _name_of(item)} if item["parts"] or item["whole"] else part


def _name_of(item: Mapping[str, Any]) -> str:
    if item["whole"]:
        return WHOLE
    first, last = item["pages"] or item["parts"]
    return f"{'Pages' if item['pages'] else 'Parts'} {first}–{last} together"


def _block(value: Any) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


RENDERERS: dict[str, Callable[[Task, bool], Iterator[str]]] = {"md": _markdown, "json": _as_json, "jsonl": _jsonl}
MEDIA_TYPES: dict[str, str] = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/jsonl",
}
