from drill.schedules import FAST, schedules

from .conftest import InShort


def test_each_due_time_is_fired_once_whatever_dies(perform: InShort) -> None:
    figures = perform(schedules)
    assert figures["fired"] + figures["missed by policy"] == figures["due times"] >= FAST * 10
