from django.apps import AppConfig


class TasksConfig(AppConfig):
    name = "tasks_app"
    verbose_name = "Longhaul"

    def ready(self) -> None:
        from .kinds import registry
        from .processes import wiring
        from .realtime import publisher

        registry.autodiscover()
        wiring.connect()
        publisher.connect()
