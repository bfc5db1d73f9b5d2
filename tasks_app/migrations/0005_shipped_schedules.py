"""The schedules that Longhaul ships, made once: whoever renames, changes or deletes one has the last word."""

from datetime import timedelta
from typing import Any

from django.db import migrations

SHIPPED = [
    # Made up for within a day: a machine that sleeps at night must not keep everything for ever.
    {"name": "Delete what is old", "kind": "system.prune", "cron": "17 3 * * *", "catch_up": timedelta(hours=23)},
    {"name": "Daily report", "kind": "system.daily_report", "cron": "0 7 * * *", "catch_up": timedelta(hours=6)},
    # For quiet hours: an endpoint that fails while it is used is noticed by its calls.
    {"name": "Check the model endpoint", "kind": "system.check_endpoint", "cron": "*/5 * * * *"},
]


def make(apps: Any, schema_editor: Any) -> None:
    schedules = apps.get_model("tasks_app", "Schedule").objects.using(schema_editor.connection.alias)
    for values in SHIPPED:
        schedules.get_or_create(name=values["name"], defaults=values)


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0004_admission_schedules_monitoring")]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
