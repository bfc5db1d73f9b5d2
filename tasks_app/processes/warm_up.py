"""The start of a child: all that attempts need, and nothing that only the web needs."""

import gc
import os
from importlib import import_module

# Apps that bring pages and no models. A kind may import them all the same.
FACES = {"ninja"}


def warm_up() -> frozenset[str]:
    """Load Django with every kind, and what else is to be warm; returns the kinds' names. Raises what they raise."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    # What modules make stays: to look for garbage among it takes a tenth of the start, and then a moment of a task.
    gc.disable()
    import django
    from django.conf import settings

    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app not in FACES]
    django.setup()
    from tasks_app.kinds.registry import known_kinds

    for module in settings.LONGHAUL_WARM_MODULES:
        import_module(module)
    gc.freeze()
    gc.enable()
    return known_kinds()
