"""Many tasks: what is done each second stays quick. On SQLite the drill says that it does not apply."""

import pytest
from django.db import connection

from drill.million import million
from drill.registry import NotApplicable, Size

from .conftest import InShort


def test_with_many_tasks_a_tick_an_admission_and_the_metrics_are_quick(perform: InShort) -> None:
    if connection.vendor != "postgresql":
        with pytest.raises(NotApplicable, match="is for PostgreSQL"):
            million(Size.SHORT)
        return
    assert {"tick", "admission of one", "/metrics"} <= perform(million).keys()
