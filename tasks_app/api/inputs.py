"""The input of each kind in words, from the form that page and admin show."""

from typing import Any

from django.forms import BooleanField, ChoiceField, Field
from django.forms.utils import pretty_name

from tasks_app.kinds.registry import submittable_kinds
from tasks_app.kinds.task import LonghaulTask


def described_inputs() -> str:
    """Markdown: a paragraph for each kind that can be submitted, and a line for each of its fields."""
    return "\n\n".join(map(_of_kind, submittable_kinds()))


def _of_kind(kind: LonghaulTask) -> str:
    source = " Takes a `file`, or as `document` the id of one uploaded before." if kind.takes_document else ""
    fields = kind.form().fields if kind.form else {}
    return "\n".join([f"**`{kind.kind}`** {kind.title}.{source}\n", *(_line(*named) for named in fields.items())])


def _line(name: str, field: Field) -> str:
    label = str(field.label or pretty_name(name))
    texts = [label if label.endswith("?") else f"{label}.", _values(field), str(field.help_text)]
    return f"- `{name}`{' (required)' if field.required else ''}: {' '.join(filter(None, texts))}"


def _values(field: Field) -> str:
    """The sentence that lists what it may be, where that is a list."""
    if isinstance(field, BooleanField):
        return "`true` or `false`."
    if not isinstance(field, ChoiceField):
        return ""
    choices: Any = field.choices
    return f"One of {', '.join(f'`{value}`' for value, _ in choices if value != '')}."
