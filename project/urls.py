from django.contrib import admin
from django.urls import include, path
from django_rq.models import Dashboard

from tasks_app.api.metrics import metrics
from tasks_app.api.problems import no_such_address

# It shows doorbells, which say nothing, lets any staff user empty them, and fails with Redis away. Workers are rows.
admin.site.unregister(Dashboard)

urlpatterns = [
    path("", include("tasks_app.web.urls")),
    path("metrics", metrics),
    path("api", no_such_address),
    path("api/", include("tasks_app.api.urls")),
    path("admin/", admin.site.urls),
]

# What Django counts among the bad requests may be one that is too large.
handler400 = "project.failures.bad_request"
