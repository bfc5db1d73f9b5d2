"""How long the endpoint asks us to wait (C44)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tasks_app.endpoint import RateLimited, ServerError
from tests.endpoint.conftest import Failing
from tests.support.endpoint_behaviours import status

NOW = datetime(2026, 10, 25, 1, 0, tzinfo=UTC)


def http_date(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "3"}, 3),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "Retry-After": "3"}, 1.5),
        ({"retry-after-ms": "soon", "Retry-After": "3"}, 3),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "3600"}, 3600),
        ({"Retry-After": http_date(4), "Date": http_date(0)}, 4),
        ({"Retry-After": http_date(-4), "Date": http_date(0)}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_a_rate_limit_holds_the_wait_that_was_asked_for(
    failing: Failing, headers: dict[str, str], wait: float | None
) -> None:
    error = failing(status(429, headers=headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == wait


def test_a_date_without_the_endpoints_clock_is_read_against_ours(failing: Failing) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=60)
    error = failing(status(429, headers={"Retry-After": format_datetime(moment, usegmt=True)}))
    assert isinstance(error, RateLimited)
    assert error.retry_after is not None
    assert 50 < error.retry_after <= 60


def test_an_overloaded_server_may_ask_for_a_wait_too(failing: Failing) -> None:
    error = failing(status(503, headers={"Retry-After": "7"}))
    assert isinstance(error, ServerError)
    assert error.retry_after == 7
