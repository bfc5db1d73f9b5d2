from collections.abc import Callable

from django.apps import AppConfig


class TasksConfig(AppConfig):
    name = "tasks_app"
    verbose_name = "Longhaul"

    def ready(self) -> None:
        """Connect the rooms that may not know each other."""
        from .kinds import registry
        from .monitoring import listeners, schedule_alerts
        from .monitoring import parts as monitoring
        from .processes import wiring
        from .realtime import publisher
        from .schedules import parts as schedules

        registry.autodiscover()
        # What is due first, so that the same tick admits it; then what tends tasks; last who looks at it all.
        _register(schedules.tick_parts())
        wiring.connect()
        _register(monitoring.tick_parts())
        publisher.connect()
        listeners.connect(registry.known_kinds)
        schedule_alerts.connect()


def _register(parts: list[tuple[str, Callable[[], object], float]]) -> None:
    from .processes import tick

    for name, work, every_seconds in parts:
        tick.register(name, work, every_seconds=every_seconds)
