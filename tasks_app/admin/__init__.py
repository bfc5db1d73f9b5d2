"""Django admin, for operators."""

from django.contrib import admin

from . import calls, queues, rows, schedules, tasks

admin.site.site_header = "Longhaul"
admin.site.site_title = "Longhaul"
admin.site.index_title = "Operations"

__all__ = ["calls", "queues", "rows", "schedules", "tasks"]
