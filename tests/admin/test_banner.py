"""What is wrong or paused now stands above every page of the admin."""

from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tasks_app.lifecycle.pause import pause, resume
from tasks_app.models import Alert, AlertRule
from tasks_app.monitoring.alerts import open_alert, resolve_alert
from tests.support.rows import make_user

BANNER = 'class="lh-incidents"'


def banner(client: Client, page: str = "index") -> str:
    """Its text and links; "" where there is none."""
    whole = client.get(reverse(f"admin:{page}")).text
    return " ".join(whole.split(BANNER)[1].split("</section>")[0].split()) if BANNER in whole else ""


def test_there_is_none_while_nothing_is_wrong(operator: Client) -> None:
    open_alert(AlertRule.DRAIN, "gpu", "Slow.")
    resolve_alert(AlertRule.DRAIN, "gpu", "Quick.")
    assert banner(operator) == ""


def test_an_open_alert_is_told_of_with_a_link(operator: Client) -> None:
    open_alert(AlertRule.DRAIN, "gpu", "gpu: 20 tasks waiting.")
    for page in ("index", "tasks_app_task_changelist", "tasks_app_queuestate_changelist", "auth_user_add"):
        assert "The backlog takes too long" in banner(operator, page)
        assert "gpu: 20 tasks waiting." in banner(operator, page)
    assert reverse("admin:tasks_app_alert_change", args=[Alert.objects.get().pk]) in banner(operator)


def test_a_pause_is_told_of_with_who_and_why(operator: Client, user: Any) -> None:
    pause(queue="gpu", by_id=user.pk, reason="model upgrade")
    pause(kind="document.extract", by_id=None, reason="a bug")
    said = banner(operator)
    assert "Paused: gpu" in said
    assert "by ada: model upgrade" in said
    assert "Paused: document.extract" in said
    resume(queue="gpu")
    resume(kind="document.extract")
    assert banner(operator) == ""


def test_of_many_the_first_few_are_shown_and_the_others_counted(operator: Client) -> None:
    for number in range(8):
        open_alert(AlertRule.SCHEDULE, f"schedule {number}", "Broken.")
    said = banner(operator)
    assert said.count("<li") == 6
    assert "and 3 more" in said


def test_who_may_not_look_at_alerts_gets_no_link(db: None) -> None:
    user = make_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_user"))
    clerk = Client()
    clerk.force_login(user)
    open_alert(AlertRule.DRAIN, "gpu", "Slow.")
    assert "Slow." in banner(clerk)
    assert "<a " not in banner(clerk)


def test_nobody_without_a_login_sees_it(db: None) -> None:
    open_alert(AlertRule.DRAIN, "gpu", "Slow.")
    assert "Slow." not in Client().get(reverse("admin:login")).text


def test_hostile_text_is_text(operator: Client) -> None:
    open_alert(AlertRule.SCHEDULE, "nightly", "<img src=x onerror=alert(1)>")
    assert "<img" not in banner(operator)
    assert "&lt;img" in banner(operator)


def test_the_users_page_asks_nothing_of_it(client: Client, user: Any, django_assert_num_queries: Any) -> None:
    client.force_login(user)
    open_alert(AlertRule.DRAIN, "gpu", "Slow.")
    page = client.get(reverse("tasks"))
    assert "Slow." not in page.text
