"""An alert about a schedule holds its name on one line."""

from datetime import timedelta

import pytest

from tasks_app.models import AlertRule, Schedule
from tasks_app.monitoring.alerts import open_alert
from tasks_app.monitoring.schedule_alerts import forget_those_without_a_schedule


@pytest.mark.django_db
def test_a_name_with_two_spaces_is_still_that_of_its_schedule() -> None:
    Schedule.objects.create(name="a  broken one", kind="test.quick", interval=timedelta(hours=1))
    open_alert(AlertRule.SCHEDULE, "a  broken one", "It could not make its task.")
    assert forget_those_without_a_schedule() == 0, "else it would be told of again with each firing"
