"""From a kind and its input to what lifecycle submits, the same for page, API, admin, `enqueue()` and tests."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.json import normalize_json

from tasks_app.conf import queue
from tasks_app.lifecycle.submit import Order
from tasks_app.work.secrets import seal

from .task import LonghaulTask

# In a JSON text: U+0000, which stands there escaped, and lone halves of pairs.
UNSTORABLE = re.compile(r"(?<!\\)(?:\\\\)*\\u0000|[\ud800-\udfff]")


def parted(kind: LonghaulTask, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What may be kept of the input, and its secrets."""
    secrets = {name: values[name] for name in kind.secret_fields if name in values}
    return {name: value for name, value in values.items() if name not in secrets}, secrets


def order_of(
    kind: LonghaulTask, *, owner_id: int | None, values: Mapping[str, Any], args: Sequence[Any] = (), **options: Any
) -> Order:
    """`values`: keyword arguments, secrets included. `options`: the other fields of the Order.

    Raises TypeError where arguments are not JSON.
    """
    kept, secrets = parted(kind, values)
    return Order(
        kind=kind.kind,
        queue=queue(kind.queue_name).name,
        owner_id=owner_id,
        payload={
            "args": normalize_json(list(args)),
            "kwargs": normalize_json(kept),
            "secrets": sorted(name for name, value in secrets.items() if value),
        },
        max_attempts=kind.attempts_limit,
        attempt_timeout=kind.attempt_limit,
        deadline=kind.deadline_limit,
        call_timeout=kind.call_limit,
        secrets=seal(secrets),
        **options,
    )


def as_stored(value: Any) -> Any:
    """As the function gets it: tuples are lists, keys are texts; nothing else changes.

    Raises TypeError where it is not JSON, ValueError where JSON or a database knows no such number or character.
    """
    text = json.dumps(normalize_json(value), ensure_ascii=False, allow_nan=False)
    if UNSTORABLE.search(text):
        raise ValueError("Arguments may hold neither NUL nor half of a surrogate pair: PostgreSQL stores neither.")
    return json.loads(text)
