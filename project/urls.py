from django.contrib import admin
from django.urls import include, path

from tasks_app.api import health

urlpatterns = [
    path("", include("tasks_app.web.urls")),
    path("api/", include("tasks_app.api.urls")),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

# What Django counts among the bad requests may be one that is too large.
handler400 = "tasks_app.web.failures.bad_request"
