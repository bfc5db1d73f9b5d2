from drill import fairness

from .conftest import InShort


def test_a_user_who_floods_keeps_nobody_waiting(perform: InShort) -> None:
    figures = perform(fairness.fairness)
    assert figures["ends of the first user's before it"] <= fairness.SLOTS
    assert figures["most queued or running"] == fairness.SLOTS
