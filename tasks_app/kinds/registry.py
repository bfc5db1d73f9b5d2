"""The kinds that this process knows, by name."""

from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules

from tasks_app.exceptions import InvalidInput

if TYPE_CHECKING:
    from .task import LonghaulTask

_kinds: dict[str, "LonghaulTask"] = {}


class UnknownKind(InvalidInput):
    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(f"Unknown kind {name!r}; expected one of: {', '.join(known) or 'none'}.", field="kind")


def register(kind: "LonghaulTask") -> None:
    """Keep the kind under its name. Copies that `using()` makes are the same kind; another function is an error."""
    known = _kinds.setdefault(kind.kind, kind)
    if known.module_path != kind.module_path:
        raise ImproperlyConfigured(
            f"Two functions claim the kind {kind.kind!r}: {known.module_path} and {kind.module_path}."
        )


def autodiscover() -> None:
    """Import every module that declares kinds: those of the settings, and `tasks.py` of each installed app."""
    for module in settings.LONGHAUL_KIND_MODULES:
        import_module(module)
    autodiscover_modules("tasks")


def known_kinds() -> frozenset[str]:
    return frozenset(_kinds)


def find(name: str) -> "LonghaulTask | None":
    return _kinds.get(name)


def submittable_kinds() -> list["LonghaulTask"]:
    """Those with a form, in the order in which they were declared: the settings' first."""
    return [kind for kind in _kinds.values() if kind.form is not None]


def submittable(name: str) -> "LonghaulTask":
    """A kind that people and programs may submit: one with a form. Raises UnknownKind."""
    kind = _kinds.get(name)
    if kind is None or kind.form is None:
        raise UnknownKind(name, sorted(known.kind for known in submittable_kinds()))
    return kind
