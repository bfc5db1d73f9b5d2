"""When a child is killed. That it is, wherever it is stuck: `drill/limits.py`."""

import uuid

import pytest

from tasks_app.lifecycle.claim import Claim
from tasks_app.models import AttemptRef, Outcome
from tasks_app.processes.limits import Bounds, seconds_for


def make_claim(*, limit: float, deadline: float) -> Claim:
    return Claim(AttemptRef(uuid.uuid4(), 1), "test", "gpu", limit, deadline, 60)


def test_nothing_is_overrun_within_the_grace() -> None:
    bounds = Bounds.of(make_claim(limit=10, deadline=100), now=1000)
    assert bounds.overrun(now=1014.9, grace=5) is None
    assert bounds.overrun(now=1015, grace=5) == Outcome.TIMEOUT


def test_the_deadline_counts_before_the_limit() -> None:
    bounds = Bounds.of(make_claim(limit=10, deadline=3), now=1000)
    assert bounds.overrun(now=1100, grace=5) == Outcome.DEADLINE


@pytest.mark.parametrize(("limit", "deadline", "expected"), [(10, 3, 3), (3, 10, 3), (10, -1, 0)])
def test_a_child_gets_no_more_time_than_the_task_has_left(limit: float, deadline: float, expected: float) -> None:
    assert seconds_for(make_claim(limit=limit, deadline=deadline)) == expected
