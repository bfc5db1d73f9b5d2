from collections.abc import Callable

import pytest

from drill.backlog import backlog


@pytest.mark.timeout(400)
def test_a_backlog_is_told_of_once_and_so_is_its_end(perform: Callable[..., dict[str, float]]) -> None:
    # Two incidents, each opened and resolved, each by mail and by webhook.
    assert perform(backlog)["mails and webhooks"] == 8
