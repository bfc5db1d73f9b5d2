import pytest
from django.utils import timezone

from tasks_app.models import Alert, AlertRule, FiringOutcome, Schedule
from tasks_app.monitoring.alerts import open_alert
from tasks_app.monitoring.schedule_alerts import CHECKS_ENDPOINT, forget_those_without_a_schedule
from tasks_app.signals import schedule_fired, send

pytestmark = pytest.mark.django_db


def fired(outcome: FiringOutcome, *, reason: str = "") -> None:
    send(schedule_fired, outcome=outcome, late_seconds=0.0, schedule="Report", reason=reason)


def open_subjects() -> list[str]:
    return list(Alert.objects.open().values_list("subject", flat=True))


def test_a_schedule_that_cannot_make_its_task_is_one_alert_until_it_can() -> None:
    for _ in range(3):
        fired(FiringOutcome.FAILED, reason="Unknown kind.")
    alert = Alert.objects.get()
    assert (alert.rule, alert.subject) == (AlertRule.SCHEDULE, "Report")
    assert alert.text == "The schedule “Report” could not make its task: Unknown kind."
    fired(FiringOutcome.SKIPPED)
    assert open_subjects() == ["Report"]
    fired(FiringOutcome.FIRED)
    assert open_subjects() == []


@pytest.mark.parametrize("change", [{"name": "Another"}, {"paused": True}, {"stopped_because": "It ended."}])
def test_the_alert_of_a_schedule_that_goes_on_no_more_is_resolved(change: dict[str, object]) -> None:
    Schedule.objects.create(name="Report", kind="test", cron="* * * * *", next_due_at=timezone.now())
    fired(FiringOutcome.FAILED)
    assert forget_those_without_a_schedule() == 0
    Schedule.objects.update(**change)
    assert forget_those_without_a_schedule() == 1
    assert open_subjects() == []


def test_the_alert_about_the_endpoint_is_resolved_when_nobody_looks_at_it_any_more() -> None:
    check = Schedule.objects.create(name="Check", kind=CHECKS_ENDPOINT, cron="* * * * *")
    open_alert(AlertRule.ENDPOINT, "model endpoint", "It does not answer.")
    open_alert(AlertRule.DRAIN, "gpu", "It takes 9 minutes.")
    assert forget_those_without_a_schedule() == 0
    check.delete()
    assert forget_those_without_a_schedule() == 1
    assert open_subjects() == ["gpu"]
