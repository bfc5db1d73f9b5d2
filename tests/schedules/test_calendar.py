"""When a schedule is due: expressions, intervals, and the days on which clocks change."""

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_app.schedules.calendar import EPOCH, BadTiming, Timing, due_times, next_due

ZONES = ["Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Shanghai", "UTC"]


def due(cron: str, zone: str, start: str, count: int) -> list[str]:
    """Times of the zone's wall clock, each with its offset."""
    place = ZoneInfo(zone)
    times = due_times(Timing(cron=cron, time_zone=zone), datetime.fromisoformat(start).replace(tzinfo=place))
    return [f"{time.astimezone(place):%m-%d %H:%M %z}" for time in islice(times, count)]


def test_noon_is_noon_on_the_wall_on_both_days_of_a_change() -> None:
    noon = Timing(cron="0 12 * * *", time_zone="Europe/Berlin")
    autumn = islice(due_times(noon, datetime(2026, 10, 23, 12, tzinfo=UTC)), 3)
    assert [f"{time:%d %H:%M}" for time in autumn] == ["24 10:00", "25 11:00", "26 11:00"]
    spring = islice(due_times(noon, datetime(2027, 3, 26, 12, tzinfo=UTC)), 3)
    assert [f"{time:%d %H:%M}" for time in spring] == ["27 11:00", "28 10:00", "29 10:00"]


@pytest.mark.parametrize(
    ("cron", "zone", "start", "expected"),
    [
        ("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00", ["03-28 03:00 +0200", "03-29 02:30 +0200"]),
        ("0,30 2,3 * * *", "Europe/Berlin", "2027-03-28T01:00", ["03-28 03:00 +0200", "03-28 03:30 +0200"]),
        ("*/20 2 * * *", "Europe/Berlin", "2027-03-28T01:00", ["03-28 03:00 +0200", "03-29 02:00 +0200"]),
        ("0 */2 * * *", "Europe/Berlin", "2027-03-28T00:30", ["03-28 03:00 +0200", "03-28 04:00 +0200"]),
        ("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", ["11-04 01:00 -0200", "11-05 00:00 -0200"]),
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", ["10-04 02:30 +1100", "10-05 02:15 +1100"]),
        ("30 2 * * *", "Asia/Shanghai", "1986-05-03T12:00", ["05-04 03:00 +0900", "05-05 02:30 +0900"]),
    ],
)
def test_a_time_that_does_not_exist_is_due_at_the_next_minute_that_does(
    cron: str, zone: str, start: str, expected: list[str]
) -> None:
    assert due(cron, zone, start, 2) == expected


@pytest.mark.parametrize(
    ("cron", "zone", "start", "expected"),
    [
        ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", ["10-25 02:30 +0200", "10-26 02:30 +0100"]),
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-25T02:10", ["10-25 02:30 +0200", "10-26 02:00 +0100"]),
        ("0 */2 * * *", "Europe/Berlin", "2026-10-25T01:00", ["10-25 02:00 +0200", "10-25 04:00 +0100"]),
        ("30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00", ["02-17 23:30 -0200", "02-18 23:30 -0300"]),
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00", ["04-05 01:45 +1100", "04-06 01:45 +1030"]),
        ("30 1 * * *", "Asia/Shanghai", "1986-09-13T12:00", ["09-14 01:30 +0900", "09-15 01:30 +0800"]),
    ],
)
def test_a_time_that_exists_twice_is_due_once(cron: str, zone: str, start: str, expected: list[str]) -> None:
    assert due(cron, zone, start, 2) == expected


def test_between_two_equal_hours_nothing_of_the_first_is_due_again() -> None:
    second_pass = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)
    assert next_due(Timing(cron="30 2 * * *", time_zone="Europe/Berlin"), second_pass) == datetime(
        2026, 10, 26, 1, 30, tzinfo=UTC
    )


@pytest.mark.parametrize("hours", ["*", "0-23", "*/1"])
@pytest.mark.parametrize("day", ["2026-10-25T00:30", "2027-03-28T00:30"])
def test_what_is_due_every_hour_is_due_every_hour_of_real_time(hours: str, day: str) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    times = list(islice(due_times(Timing(cron=f"0 {hours} * * *", time_zone="Europe/Berlin"), start), 6))
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(hours=1)}


def test_a_zone_without_changes_has_the_same_hour_every_day() -> None:
    times = list(islice(due_times(Timing(cron="0 9 * * *", time_zone="Asia/Shanghai"), EPOCH + timedelta(20000)), 400))
    assert {time.hour for time in times} == {1}
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(days=1)}


def test_an_interval_counts_from_the_epoch_whenever_one_looks() -> None:
    quarter = Timing(interval=timedelta(minutes=15))
    looks = [datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC), datetime(2026, 11, 30, 12, 14, 59, 999999, tzinfo=UTC)]
    assert {next_due(quarter, look) for look in looks} == {datetime(2026, 11, 30, 12, 15, tzinfo=UTC)}
    assert next_due(quarter, datetime(2026, 11, 30, 12, 15, tzinfo=UTC)) == datetime(2026, 11, 30, 12, 30, tzinfo=UTC)


def test_after_its_end_nothing_is_due() -> None:
    end = datetime(2026, 11, 30, 12, 2, tzinfo=UTC)
    timing = Timing(cron="* * * * *", ends_at=end)
    assert list(due_times(timing, end - timedelta(minutes=2))) == [end - timedelta(minutes=1), end]
    assert next_due(timing, end) is None


def test_a_day_that_never_comes_is_none_and_not_an_endless_search() -> None:
    assert next_due(Timing(cron="0 0 */31 2 MON#5"), EPOCH) is None


@pytest.mark.parametrize(
    ("cron", "sentence"),
    [
        ("61 * * * *", "its minute is wrong"),
        ("* 24 * * *", "its hour is wrong"),
        ("0 0 30 2 *", "its day of month is wrong"),
        ("* * * 13 *", "its month is wrong"),
        ("* * * * FUNDAY", "its day of week is wrong"),
        ("L/2 * * * *", "cannot be read"),
        ("* * * *", "not five fields but 4"),
        ("0 * * * * *", "not five fields but 6"),
        ("@daily", "not five fields but 1"),
    ],
)
def test_an_expression_that_cannot_be_read_is_a_sentence_with_an_example(cron: str, sentence: str) -> None:
    with pytest.raises(BadTiming, match=sentence) as raised:
        due_times(Timing(cron=cron), EPOCH)
    assert raised.value.field == "cron"
    assert "for example 30 7 * * MON-FRI" in str(raised.value)


@pytest.mark.parametrize(
    ("zone", "sentence"),
    [
        ("Berlin", "Expected Europe/Berlin?"),
        ("europe/berlin", "Expected Europe/Berlin?"),
        ("New York", "Expected America/New_York?"),
        ("Mars", "Expected an IANA name"),
        ("../../etc/passwd", "Expected an IANA name"),
        ("Europe", "Expected an IANA name"),
        ("", "Expected an IANA name"),
    ],
)
def test_a_zone_that_does_not_exist_is_a_sentence_with_what_was_meant(zone: str, sentence: str) -> None:
    with pytest.raises(BadTiming) as raised:
        next_due(Timing(cron="* * * * *", time_zone=zone), EPOCH)
    assert sentence in str(raised.value)
    assert raised.value.field == "time_zone"


@pytest.mark.parametrize(
    "interval", [timedelta(0), timedelta(seconds=-60), timedelta(milliseconds=1500), timedelta(days=367)], ids=str
)
def test_an_interval_is_whole_seconds_and_not_too_long(interval: timedelta) -> None:
    with pytest.raises(BadTiming, match="whole number of seconds"):
        next_due(Timing(interval=interval), EPOCH)


@pytest.mark.parametrize("timing", [Timing(), Timing(cron="* * * * *", interval=timedelta(minutes=1))], ids=str)
def test_one_of_the_two_is_expected(timing: Timing) -> None:
    with pytest.raises(BadTiming, match="one of the two"):
        next_due(timing, EPOCH)


FIELDS = [
    st.sampled_from(["*", "*/7", "0", "30", "15,45", "5-20/5", "59"]),
    st.sampled_from(["*", "*/2", "0", "1", "2", "1-3", "0-23", "23,0"]),
    st.sampled_from(["*", "1", "25", "28-31", "L"]),
    st.sampled_from(["*", "3,10", "2", "11"]),
    st.sampled_from(["*", "SUN", "1-5", "MON#1", "5L"]),
]
# Days around the changes of all four zones, in many years.
MOMENTS = st.datetimes(datetime(1985, 1, 1), datetime(2035, 1, 1)).map(lambda time: time.replace(tzinfo=UTC))  # noqa: DTZ001


@settings(max_examples=150, deadline=None)
@given(cron=st.tuples(*FIELDS).map(" ".join), zone=st.sampled_from(ZONES), after=MOMENTS)
def test_due_times_rise_and_are_the_same_from_wherever_one_looks(cron: str, zone: str, after: datetime) -> None:
    timing = Timing(cron=cron, time_zone=zone)
    times = list(islice(due_times(timing, after), 8))
    assert all(later > earlier for earlier, later in pairwise([after, *times]))
    assert [next_due(timing, earlier) for earlier in times[:-1]] == times[1:]
    assert [next_due(timing, time - timedelta(microseconds=1)) for time in times] == times


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789*/-,#L MONSUNW?", max_size=25))
def test_whatever_is_typed_is_due_or_refused_in_words(cron: str) -> None:
    said = ""
    found = None
    try:
        found = next_due(Timing(cron=cron, time_zone="Europe/Berlin"), EPOCH)
    except BadTiming as error:
        said = str(error)
    assert said.endswith(".") if found is None and said else found is None or found > EPOCH
