"""`@task` functions of any application, enqueued here and carried out by real workers."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.tasks import TaskResultStatus

from tests.support import kinds_plain

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def test_they_run_with_the_documented_results(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_KIND_MODULES="tests.support.kinds_plain")
    write = kinds_plain.write
    low = write.using(priority=-5).enqueue(str(yard.journal), line="low")
    high = write.using(priority=5).enqueue(str(yard.journal), line="high")
    echoed = kinds_plain.echo.enqueue((1, 2), {3: None}, text="\N{SNOWMAN}")
    told = kinds_plain.told.enqueue(word="hello")
    failed = kinds_plain.divide.enqueue(1, 0)
    with transaction.atomic():
        transaction.on_commit(partial(kinds_plain.write.enqueue, str(yard.journal), line="committed"))
    slow: Any = asyncio.run(kinds_plain.add_slowly.aenqueue(1, b=2))
    yard.house.ready_worker("cpu")
    yard.house.scheduler()
    results: list[Any] = [low, high, echoed, told, failed, slow]
    yard.house.wait_until(lambda: all(_finished(one) for one in results), 30, what="all have finished")
    yard.wait_for_line("committed")
    assert yard.lines.index("high") < yard.lines.index("low")
    assert echoed.return_value == [[[1, 2], {"3": None}], {"text": "\N{SNOWMAN}"}]
    assert told.return_value == ["hello", 1, told.id, "RUNNING", 1, {"word": "hello"}]
    assert slow.return_value == 3
    assert (failed.status, failed.errors[0].exception_class) == (TaskResultStatus.FAILED, ZeroDivisionError)


def _finished(result: Any) -> bool:
    result.refresh()
    return bool(result.is_finished)
