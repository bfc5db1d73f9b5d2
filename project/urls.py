from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("tasks_app.web.urls")),
    path("api/", include("tasks_app.api.urls")),
    path("admin/", admin.site.urls),
]

# What Django counts among the bad requests may be one that is too large.
handler400 = "project.failures.bad_request"
