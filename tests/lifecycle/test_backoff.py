import pytest
from django.conf import settings

from tasks_app.lifecycle.backoff import delay


def low(a: float, b: float) -> float:
    return a


def high(a: float, b: float) -> float:
    return b


@pytest.mark.parametrize(("failures", "base"), [(1, 2), (2, 4), (3, 8), (8, 256), (9, 300), (5000, 300)])
def test_the_wait_doubles_up_to_its_maximum(failures: int, base: float) -> None:
    assert settings.LONGHAUL_BACKOFF_MAX_SECONDS == 300
    assert delay(failures, uniform=low).total_seconds() == pytest.approx(base * 0.8)
    assert delay(failures, uniform=high).total_seconds() == pytest.approx(base * 1.2)


def test_the_first_wait_is_the_one_that_the_provider_asked_for() -> None:
    assert delay(1, retry_after=30, uniform=low).total_seconds() == 30
    assert delay(1, retry_after=30, uniform=high).total_seconds() <= 30 * 1.3
    assert delay(1, retry_after=1.5, uniform=high).total_seconds() <= 1.5 * 1.3
    assert delay(1, retry_after=0, uniform=low).total_seconds() == pytest.approx(1.6)


def test_later_waits_are_never_before_what_the_provider_asked_for() -> None:
    assert delay(3, retry_after=30, uniform=low).total_seconds() == 30
    assert delay(3, retry_after=0.01, uniform=low).total_seconds() == pytest.approx(6.4)
