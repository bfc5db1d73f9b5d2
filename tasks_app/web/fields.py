"""A field of a kind's form, as the card shows it. What a form may declare besides are attributes of its widgets.

| attribute | meaning |
|---|---|
| `data-only="preset=own"` | shown only while the field `preset` has the value `own` |
| `data-needed` | of such a field: it must be filled in while it is shown |
| `data-more` | of an optional field: it stands under "More options" until it holds something |

The conditions are carried out by static/web/fields.js; without scripts every field shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect, Select, SelectMultiple

MOST_PILLS = 8


@dataclass(frozen=True, slots=True)
class Pill:
    """One choice of several that stand side by side."""

    id: str
    value: str
    label: str
    checked: bool


@dataclass(frozen=True, slots=True)
class ShownField:
    bound: BoundField

    @property
    def look(self) -> str:
        """ "pills", "check" or "plain"."""
        if self._is_choice and len(self.pills) <= MOST_PILLS:
            return "pills"
        return "check" if isinstance(self.bound.field.widget, CheckboxInput) else "plain"

    @property
    def is_multiple(self) -> bool:
        return isinstance(self.bound.field.widget, CheckboxSelectMultiple | SelectMultiple)

    @property
    def pills(self) -> list[Pill]:
        choices = [(str(value), str(label)) for value, label in getattr(self.bound.field, "choices", [])]
        chosen = _chosen(self.bound.value())
        if not chosen and not self.is_multiple and not self.bound.form.is_bound and choices:
            # As a browser does with a list to choose from.
            chosen = {choices[0][0]}
        return [
            Pill(f"{self.bound.auto_id}_{number}", value, label, value in chosen)
            for number, (value, label) in enumerate(choices)
        ]

    @property
    def only(self) -> str:
        return str(self._attrs.get("data-only", ""))

    @property
    def is_needed(self) -> bool:
        return "data-needed" in self._attrs

    @property
    def is_unmet(self) -> bool:
        """Its condition does not hold as the form stands."""
        name, _, wanted = self.only.partition("=")
        return bool(name) and name in self.bound.form.fields and str(self.bound.form[name].value() or "") != wanted

    @property
    def is_more(self) -> bool:
        return "data-more" in self._attrs and not self.bound.field.required

    @property
    def holds_something(self) -> bool:
        """Errors, or a value other than the one that it begins with."""
        value = self.bound.value()
        return bool(self.bound.errors) or (bool(value) and value != self.bound.field.initial)

    @property
    def described_by(self) -> str:
        """Ids of its hint and its errors."""
        hint = f"{self.bound.auto_id}_helptext" if self.bound.help_text else ""
        wrong = f"{self.bound.auto_id}_error" if self.bound.errors else ""
        return f"{hint} {wrong}".strip()

    @property
    def _attrs(self) -> Mapping[str, Any]:
        attrs: Mapping[str, Any] = self.bound.field.widget.attrs
        return attrs

    @property
    def _is_choice(self) -> bool:
        return isinstance(self.bound.field.widget, RadioSelect | Select | CheckboxSelectMultiple)


def _chosen(value: Any) -> set[str]:
    if isinstance(value, list | tuple):
        return {str(one) for one in value}
    return set() if value in (None, "") else {str(value)}
