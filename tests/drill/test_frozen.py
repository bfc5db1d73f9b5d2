"""A worker that was stopped, given up and continued writes nothing of its old attempt, wherever it was stopped."""

import pytest

from drill import frozen
from drill.registry import Perform, Size

from .conftest import InShort


@pytest.mark.parametrize("place", [frozen.between_steps, frozen.in_a_step, frozen.inside_a_transaction])
def test_a_worker_that_was_stopped_writes_nothing(place: Perform, perform: InShort) -> None:
    assert perform(place)["stopped for"] >= frozen.STOPPED_SECONDS[Size.SHORT]
