"""How many calls are really made, and when, as the endpoint saw it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from django import tasks

from tasks_app.endpoint import complete
from tasks_app.kinds.perform import Terms, make_attempt
from tasks_app.testing import perform_task
from tasks_app.work.context import Context
from tests.endpoint.fakes import page
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import status
from tests.support.rows import make_task, make_worker, start

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task

STEPS = 30


@task(kind="test.thirty", queue_name="gpu", takes_context=True, deadline=9000)
def thirty(context: Context) -> list[str]:
    def work(number: int) -> str:
        return complete(context, page(number)).text

    return [context.step("page", work, number) for number in range(1, STEPS + 1)]


ANSWERS = [f"R-{number:04d}" for number in range(1, STEPS + 1)]


def test_thirty_steps_whose_last_one_is_repeated_by_two_more_attempts_are_thirty_two_calls(
    db: None, endpoint: ModelEndpoint
) -> None:
    """In place: `drill/steps_twice.py`."""
    endpoint.script("PAGE-0030", [status(500, headers={"Retry-After": "1000"})] * 2)
    row = perform_task(thirty)
    assert (row.status, row.load()) == ("succeeded", ANSWERS)
    assert len(endpoint.calls) == STEPS + 2
    assert [attempt.outcome for attempt in row.attempts.order_by("number")] == ["waiting", "waiting", "succeeded"]
    assert not row.attempts.filter(spent=True).exists()
    assert row.steps.get(index=29).tries == 3


# By page: how the endpoint asks for a wait, and for how long at least; None: a wait of our own (C44).
FORMS: dict[int, tuple[str, float | None]] = {
    1: ("3 s", 3),
    2: ("a date 4 s ahead", 4),
    3: ("a date in the past", None),
    4: ("1500 ms", 1.5),
    5: ("both", 1.5),
    6: ("0", None),
    7: ("-5", None),
    8: ("soon", None),
    9: ("nothing", None),
}
OWN = 0.8
# Of a machine that is busy with other things.
ROOM = 30


def headers_of(form: str) -> dict[str, str]:
    now = datetime.now(UTC)
    ahead, before = (format_datetime(now + timedelta(seconds=seconds), usegmt=True) for seconds in (4, -4))
    forms = {
        "3 s": {"Retry-After": "3"},
        "a date 4 s ahead": {"Retry-After": ahead, "Date": format_datetime(now, usegmt=True)},
        "a date in the past": {"Retry-After": before},
        "1500 ms": {"retry-after-ms": "1500"},
        "both": {"retry-after-ms": "1500", "Retry-After": "3"},
        "nothing": {},
    }
    return forms.get(form, {"Retry-After": form})


@task(kind="test.forms", queue_name="gpu", takes_context=True)
def nine_pages(context: Context) -> list[Any]:
    return context.map("page", lambda number: complete(context, page(number)).text, list(FORMS), concurrency=9)


def test_nobody_comes_back_before_it_was_asked_to_and_all_at_different_moments(
    transactional_db: None, endpoint: ModelEndpoint, settings: Any, user: Any
) -> None:
    settings.LONGHAUL_BACKOFF_BASE_SECONDS = 1
    for number, (form, _) in FORMS.items():
        endpoint.script(f"PAGE-{number:04d}", [status(429, headers=headers_of(form))])
    row = make_task(user, kind="test.forms")
    start(row, make_worker("gpu", kinds=("test.forms",)))
    row.refresh_from_db()
    make_attempt(row.ref, Terms(limit_seconds=100))
    row.refresh_from_db()
    assert (row.status, row.load()) == ("succeeded", ANSWERS[:9])
    gaps = {number: gap_of(endpoint, number) for number in FORMS}
    for number, (form, seconds) in FORMS.items():
        least = OWN if seconds is None else seconds
        assert least <= gaps[number] <= least * 1.5 + ROOM, form
    own = [gaps[number] for number, (_, seconds) in FORMS.items() if seconds is None]
    assert max(own) - min(own) > 0.005


def gap_of(endpoint: ModelEndpoint, number: int) -> float:
    """Seconds between the arrivals of the first call for a page and of the second, which is the last.

    When the first had ended, its client may have known before the endpoint wrote it down.
    """
    first, second = endpoint.calls_of(f"PAGE-{number:04d}")
    return second.time - first.time
