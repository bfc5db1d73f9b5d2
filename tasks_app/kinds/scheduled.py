"""The order of a schedule's firing: the kind's own form decides about its input, as in every submission."""

import inspect
from datetime import datetime
from typing import Any

from tasks_app.exceptions import InvalidInput
from tasks_app.lifecycle.submit import Order

from . import registry
from .intake import cleaned
from .ordering import as_stored, order_of
from .task import LonghaulTask


def schedulable_kinds() -> list[LonghaulTask]:
    """Those that need no document, by name: a schedule has none to give."""
    known = (registry.find(name) for name in sorted(registry.known_kinds()))
    return [kind for kind in known if kind is not None and not kind.takes_document]


def scheduled_order(name: str, *, owner_id: int | None, fields: Any, run_after: datetime | None = None) -> Order:
    """What a schedule of this kind submits: no fingerprint, no idempotency key, and no quota holds it back.

    Raises InvalidInput: the kind is unknown to this process or needs a document, or refuses its input.
    """
    kind = registry.find(name)
    if kind is None:
        raise registry.UnknownKind(name, [known.kind for known in schedulable_kinds()])
    if kind.takes_document:
        raise InvalidInput(f"{kind.kind} needs a document, which a schedule cannot give.", field="kind")
    if not isinstance(fields, dict):
        raise InvalidInput('The input is no JSON object; expected fields by name, as {"name": "value"}.', field="input")
    try:
        as_stored(fields)
    except ValueError as error:
        raise InvalidInput(f"The input cannot be kept. {error}", field="input") from error
    return order_of(kind, owner_id=owner_id, values=_values(kind, fields), run_after=run_after, limited=False)


def _values(kind: LonghaulTask, fields: dict[str, Any]) -> dict[str, Any]:
    if secret := [name for name in kind.secret_fields if fields.get(name)]:
        sentence = f"{', '.join(secret)}: a secret, which a schedule would keep in the clear; leave it out."
        raise InvalidInput(sentence, field="input")
    if kind.form is not None:
        return cleaned(kind, fields)
    context = [None] if kind.takes_context else []
    try:
        inspect.signature(kind.func).bind(*context, **fields)
    except TypeError as error:
        raise InvalidInput(f"{kind.kind} cannot be called with this input: {error}.", field="input") from error
    return fields
