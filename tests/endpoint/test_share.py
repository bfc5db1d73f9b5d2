"""The own share of a process, where nothing is known of the others."""

import pytest

from tasks_app.endpoint.throttle.limits import Limits
from tasks_app.endpoint.throttle.share import Share

ONE = Limits(at_once=1)


@pytest.mark.parametrize("was_sent", [True, False])
def test_the_endpoint_gets_a_moment_to_notice_the_end_of_a_call(was_sent: bool) -> None:
    now = 100.0
    share = Share(window=60, linger=0.025, clock=lambda: now)
    assert share.take_if_free("a", share=ONE, tokens=0)
    share.give("a", used=-1) if was_sent else share.give_unused("a")
    assert share.take_if_free("b", share=ONE, tokens=0) is not was_sent
    now += 0.03
    assert share.take_if_free("c", share=ONE, tokens=0) is was_sent
