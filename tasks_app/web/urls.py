from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from .downloads import result
from .signing_in import SignInForm
from .submitting import tasks
from .verbs import cancel, retry, whole
from .watching import task

login = LoginView.as_view(
    template_name="web/login.html", authentication_form=SignInForm, redirect_authenticated_user=True
)

urlpatterns = [
    path("login/", login, name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", tasks, name="tasks"),
    path("tasks/<uuid:task_id>/", task, name="task"),
    path("tasks/<uuid:task_id>/cancel/", cancel, name="task-cancel"),
    path("tasks/<uuid:task_id>/retry/", retry, name="task-retry"),
    path("tasks/<uuid:task_id>/whole/", whole, name="task-whole"),
    path("tasks/<uuid:task_id>/result/", result, name="task-result"),
]
