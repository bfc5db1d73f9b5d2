"""Lists of very many rows: nothing in them reads a table from end to end."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.utils.functional import cached_property

# Rows that are counted, and of which the values are offered as filters.
FAR = 10_000


class OrMore(int):
    """So many, and nobody counted on. Also where it is said how many an action is for."""

    def __str__(self) -> str:
        return f"{int(self)}+"


class FarEnough(Paginator):  # type: ignore[type-arg]
    """Counts no further than FAR: at a million rows a count takes longer than all else of the page."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        found: int = rows.order_by()[: FAR + 1].values("pk").count()
        return OrMore(FAR) if found > FAR else found


class RecentValuesFilter(admin.AllValuesFieldListFilter):
    """Offers the values that the newest rows have."""

    def __init__(self, field: Any, request: Any, params: Any, model: Any, model_admin: Any, field_path: str) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        newest = model_admin.get_queryset(request).order_by("-pk").values_list(field.name, flat=True)[:FAR]
        self.lookup_choices = sorted({value for value in newest if value is not None})  # type: ignore[assignment]


def whole_id(text: str) -> UUID | None:
    """What an exact search for an id is for; None where the text is none."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None
