"""What operators see and do with schedules in Django admin."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tasks_app.models import Firing, FiringOutcome, Schedule, Task
from tests.support import kinds as _kinds  # Kinds that need no document.
from tests.support.rows import make_task, make_user

__all__ = ["_kinds"]

LIST = "admin:tasks_app_schedule_changelist"
FIELDS = {
    "name": "Every morning",
    "kind": "test.quick",
    "input": '{"journal": "j"}',
    "owner": "",
    "cron": "30 7 * * MON-FRI",
    "interval": "",
    "time_zone": "Europe/Berlin",
    "overlap": "skip",
    "catch_up": "00:00:00",
    "jitter": "00:00:00",
    "ends_at_0": "",
    "ends_at_1": "",
}
type Send = Callable[..., Any]


@pytest.fixture(autouse=True)
def _none_that_ship(db: None) -> None:
    Schedule.objects.all().delete()


@pytest.fixture
def schedule() -> Schedule:
    return Schedule.objects.create(
        name="Every morning", kind="test.quick", input={"journal": "j"}, cron="30 7 * * *", time_zone="Europe/Berlin"
    )


@pytest.fixture
def send(operator: Client) -> Send:
    """The page after the form was sent: of a new schedule, or of one that is there."""

    def post(schedule: Schedule | None = None, **fields: str) -> Any:
        address = reverse("admin:tasks_app_schedule_add")
        if schedule is not None:
            address = reverse("admin:tasks_app_schedule_change", args=[schedule.pk])
        return operator.post(address, FIELDS | fields, follow=True)

    return post


def page_of(client: Client, schedule: Schedule) -> str:
    return client.get(reverse("admin:tasks_app_schedule_change", args=[schedule.pk])).text


def act(client: Client, action: str, *schedules: Schedule) -> str:
    data = {"action": action, "_selected_action": [str(schedule.pk) for schedule in schedules]}
    return client.post(reverse(LIST), data, follow=True).text


def test_a_schedule_is_made_and_told_when_it_is_due(send: Send) -> None:
    page = send().text
    schedule = Schedule.objects.get()
    assert schedule.next_due_at is not None
    assert schedule.next_due_at > timezone.now()
    assert "It is due next on " in page
    assert "07:30\N{NO-BREAK SPACE}CE" in page


def test_an_interval_takes_the_place_of_an_expression(send: Send, operator: Client) -> None:
    send(cron="", interval="00:05:00")
    assert Schedule.objects.get().interval == timedelta(minutes=5)
    assert "every 5 minutes" in operator.get(reverse(LIST)).text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"cron": "61 7 * * *"}, "its minute is wrong. Expected five fields"),
        ({"cron": "every day"}, "not five fields but 2"),
        ({"cron": ""}, "Expected a cron expression or an interval, one of the two."),
        ({"interval": "00:05:00"}, "Expected a cron expression or an interval, one of the two."),
        ({"cron": "", "interval": "00:00:00"}, "The interval is a whole number of seconds, from 1 second"),
        ({"cron": "", "interval": "5 minutes"}, "This is no length of time; expected for example 00:05:00"),
        ({"time_zone": "Berlin"}, "There is no time zone “Berlin”. Expected Europe/Berlin?"),
        ({"catch_up": "-00:05:00"}, "It is from 0 to 366 days, and not negative."),
        ({"jitter": "2 00:00:00"}, "It is from 0 to 1 day, and not negative."),
        ({"kind": "test.gone"}, "Unknown kind &#x27;test.gone&#x27;; expected one of: "),
        ({"kind": "document.generate"}, "document.generate needs a document, which a schedule cannot give."),
        ({"kind": ""}, "This field is required."),
        ({"input": "{journal}"}, "This is not JSON; expected fields by name"),
        ({"input": "[1]"}, "The input is no JSON object"),
        ({"input": ""}, "test.quick cannot be called with this input: missing a required"),
        ({"owner": "999999"}, "not one of the available choices"),
        ({"name": ""}, "This field is required."),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_nothing_kept(send: Send, fields: dict[str, str], sentence: str) -> None:
    answer = send(**fields)
    assert answer.status_code == 200
    assert sentence in answer.text
    assert answer.text.count('class="errorlist"') == 1
    assert not Schedule.objects.exists()


def test_one_mistake_does_not_hide_another(send: Send) -> None:
    page = send(cron="61 7 * * *", time_zone="Berlin", input="{}", jitter="x").text
    assert page.count('class="errorlist"') == 4


def test_a_name_that_is_taken_is_refused(send: Send, schedule: Schedule) -> None:
    assert "Schedule with this Name already exists." in send().text


def test_the_page_shows_the_next_five_due_times_in_the_zone_of_the_schedule(
    operator: Client, schedule: Schedule
) -> None:
    page = page_of(operator, schedule)
    assert page.count("07:30\N{NO-BREAK SPACE}CE") == 5


def test_after_a_mistake_elsewhere_the_due_times_are_those_of_what_was_typed(send: Send) -> None:
    page = send(name="", cron="15 9 * * *").text
    assert page.count("09:15\N{NO-BREAK SPACE}CE") == 5


def test_the_page_shows_what_came_of_the_last_due_times(operator: Client, schedule: Schedule) -> None:
    task = make_task()
    moment = datetime(2026, 10, 25, 6, 30, tzinfo=UTC)
    values = {"schedule": schedule, "fired_at": moment + timedelta(seconds=2)}
    Firing.objects.create(due_at=moment, outcome=FiringOutcome.FIRED, task=task, **values)
    Firing.objects.create(due_at=moment - timedelta(days=1), outcome=FiringOutcome.FAILED, reason="<b>no</b>", **values)
    page = page_of(operator, schedule).replace("\N{NO-BREAK SPACE}", " ")
    assert "Sun 25 Oct 2026 07:30 CET" in page
    assert "Sat 24 Oct 2026 08:30 CEST" in page
    assert "2.0 s" in page
    assert "Could not make its task<br>&lt;b&gt;no&lt;/b&gt;" in page
    assert reverse("admin:tasks_app_task_change", args=[task.pk]) in page
    assert "fired" in operator.get(reverse(LIST)).text
    assert "Could not make its task" in operator.get(reverse("admin:tasks_app_firing_changelist")).text


def test_an_edit_of_its_times_owes_nothing_of_before(send: Send, schedule: Schedule) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    Schedule.objects.update(next_due_at=yesterday, catch_up=timedelta(days=7))
    send(schedule, cron="0 8 * * *")
    schedule.refresh_from_db()
    assert schedule.next_due_at is not None
    assert schedule.next_due_at > timezone.now()
    assert set(Firing.objects.values_list("outcome", flat=True)) == {"missed"}
    assert not Task.objects.exists()


def test_renaming_keeps_the_due_time_that_a_tick_wrote(send: Send, schedule: Schedule) -> None:
    due = timezone.now() + timedelta(minutes=1)
    Schedule.objects.update(next_due_at=due)
    send(schedule, name="Renamed", cron="30 7 * * *")
    schedule.refresh_from_db()
    assert (schedule.name, schedule.next_due_at) == ("Renamed", due)


def test_it_is_fired_by_hand(operator: Client, schedule: Schedule) -> None:
    page = act(operator, "fire_now", schedule)
    task = Task.objects.get()
    assert f'Every morning: made <a href="{reverse("admin:tasks_app_task_change", args=[task.pk])}">' in page
    assert Firing.objects.get().reason == "By hand, op."
    assert LogEntry.objects.filter(object_id=schedule.pk).exists()
    assert "Left out: an older task is active. By hand, op. Task " in act(operator, "fire_now", schedule)


def test_it_is_fired_by_hand_on_its_own_page_too(operator: Client, schedule: Schedule) -> None:
    address = reverse("admin:tasks_app_schedule_change", args=[schedule.pk])
    data = {"CHANGE_FORM-action": "fire_now", "_selected_action": schedule.pk}
    assert "Every morning: made <a" in operator.post(address, data, follow=True).text
    assert Firing.objects.get().task is not None


def test_a_task_that_cannot_be_made_by_hand_says_why(operator: Client, schedule: Schedule) -> None:
    Schedule.objects.update(kind="test.gone")
    assert "Could not make its task. By hand, op. Unknown kind" in act(operator, "fire_now", schedule)


def test_it_is_paused_and_resumed(operator: Client, schedule: Schedule) -> None:
    assert "Paused: Every morning." in act(operator, "pause", schedule)
    assert "Nothing to do." in act(operator, "pause", schedule)
    schedule.refresh_from_db()
    assert schedule.paused
    assert "It is paused. Otherwise it would be due:" in page_of(operator, schedule)
    assert '<td class="field-next_due">paused</td>' in operator.get(reverse(LIST)).text
    assert "Resumed: Every morning." in act(operator, "resume", schedule)
    schedule.refresh_from_db()
    assert schedule.next_due_at is not None


def test_one_whose_times_cannot_be_read_says_so_on_every_page(operator: Client, schedule: Schedule) -> None:
    Schedule.objects.update(time_zone="Mars", paused=True, next_due_at=timezone.now())
    assert operator.get(reverse(LIST)).status_code == 200
    assert "Nothing: see above what is wrong." in page_of(operator, schedule)
    assert "Every morning: There is no time zone “Mars”." in act(operator, "resume", schedule)


def test_one_of_a_kind_that_is_gone_can_be_looked_at(operator: Client, schedule: Schedule) -> None:
    Schedule.objects.update(kind="test.gone")
    assert "test.gone (not known here)" in page_of(operator, schedule)


def test_it_is_deleted_with_its_firings_and_not_its_tasks(operator: Client, schedule: Schedule) -> None:
    act(operator, "fire_now", schedule)
    operator.post(reverse("admin:tasks_app_schedule_delete", args=[schedule.pk]), {"post": "yes"})
    assert not Schedule.objects.exists()
    assert Task.objects.exists()


def test_several_are_deleted_from_the_list(operator: Client, schedule: Schedule) -> None:
    data = {"action": "delete_selected", "_selected_action": [schedule.pk], "post": "yes"}
    operator.post(reverse(LIST), data)
    assert not Schedule.objects.exists()


def test_who_may_only_look_sees_it_and_changes_nothing(client: Client, schedule: Schedule) -> None:
    looker = make_user("looker", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename="view_schedule"))
    client.force_login(looker)
    assert page_of(client, schedule).count("07:30\N{NO-BREAK SPACE}CE") == 5
    assert "Fire now" not in client.get(reverse(LIST)).text
    act(client, "fire_now", schedule)
    act(client, "pause", schedule)
    schedule.refresh_from_db()
    assert not schedule.paused
    assert not Task.objects.exists()


def test_the_history_says_in_plain_words_that_it_was_fired_by_hand(operator: Client, schedule: Schedule) -> None:
    operator.post(reverse(LIST), {"action": "fire_now", "_selected_action": [schedule.pk]})
    page = operator.get(reverse("admin:tasks_app_schedule_history", args=[schedule.pk]))
    assert "Fired by hand: Made its task." in page.text
    assert "&lt;a" not in page.text


@pytest.mark.parametrize("journal", ['"a\\u0000b"', '"a\\ud800b"', "NaN", "1e999"])
def test_an_input_that_no_database_keeps_is_refused_beside_its_field(send: Send, journal: str) -> None:
    page = send(input=f'{{"journal": {journal}}}')
    assert "The input cannot be kept." in page.text
    assert not Schedule.objects.exists()
