"""The ways back to the form: with the same document, or with all that a task was given."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from tasks_app.kinds.registry import find
from tasks_app.models import Document, Task

# A longer text is left out of an address.
MOST_CHARACTERS = 300


def address_of_form(
    *,
    kind: str,
    document: Document | None = None,
    fields: Mapping[str, Any] | None = None,
    fresh: bool = False,
    wanted: str = "",
) -> str:
    """`wanted`: the field that it leads to, unfolded and with the cursor in it."""
    known = find(kind)
    query: dict[str, Any] = {"kind": kind} if known and known.form else {}
    if document is not None:
        query["document"] = str(document.pk)
    query |= _short(fields or {})
    if fresh:
        query["fresh"] = "on"
    if wanted:
        query["wanted"] = wanted
    return f"{reverse('tasks')}?{urlencode(query, doseq=True)}#{f'id_{wanted}' if wanted else 'submit'}"


def address_again(row: Task, *, without: str = "") -> str:
    """The form with what the task was given, but for `without`, what is long, and secrets, of which it asks for one."""
    known = find(row.kind)
    secrets = known.secret_fields if known else []
    fields = {name: value for name, value in row.kwargs.items() if name != without}
    wanted = secrets[0] if secrets else ""
    return address_of_form(kind=row.kind, document=row.document, fields=fields, fresh=row.fresh, wanted=wanted)


def had_secrets(row: Task) -> bool:
    """Whether something was entered that is not kept, such as a password."""
    return bool(row.secrets or row.payload.get("secrets"))


def _short(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: "on" if value is True else value
        for name, value in fields.items()
        if value not in (None, False, "") and len(str(value)) <= MOST_CHARACTERS
    }
