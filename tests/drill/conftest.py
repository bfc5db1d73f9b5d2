"""Drills in their SHORT form: the same functions that `make drill` performs in full."""

from collections.abc import Callable

import pytest

from drill.registry import Figures, Perform, Size

type InShort = Callable[[Perform], dict[str, float]]


@pytest.fixture
def perform(transactional_db: None) -> InShort:
    """Performs a drill in short; its figures by name. It fails where a guarantee was broken."""

    def in_short(drill: Perform) -> dict[str, float]:
        figures: Figures = drill(Size.SHORT)
        return {name: float(value) for name, value, _ in figures if not isinstance(value, str)}

    return in_short
