"""What a kind may do inside a map: side by side, each item in a lane with a database connection of its own."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import close_old_connections, connection, connections, transaction
from django.db.models.signals import post_save

from tasks_app.endpoint import CallPlan
from tasks_app.exceptions import AttemptTimeUp, PermanentError, StepInsideStep
from tasks_app.models import ModelCall, StepResult, Task
from tasks_app.signals import task_changed
from tasks_app.work.steps import StepInsideTransaction
from tests.support.programs import wait_until
from tests.support.rows import make_user

from .conftest import Lab

LANES = 4


def side_by_side(lab: Lab, item: Callable[[int], Any], count: int = 8) -> list[Any]:
    return lab.attempt().map("m", item, range(count), concurrency=LANES)


def test_each_lane_has_a_connection_of_its_own(lab: Lab) -> None:
    together = threading.Barrier(LANES, timeout=45)
    seen: set[int] = set()

    def item(_: int) -> None:
        Task.objects.get(pk=lab.task.pk)
        seen.add(id(connection.connection))
        together.wait()

    side_by_side(lab, item, count=LANES)
    assert len(seen) == LANES
    assert id(connection.connection) not in seen


def test_no_connection_of_a_lane_is_left_open(lab: Lab) -> None:
    seen: set[Any] = set()

    def item(number: int) -> int:
        Task.objects.get(pk=lab.task.pk)
        seen.add(connections["default"])
        if number % 3 == 0:
            raise PermanentError("no")
        return number

    context = lab.attempt()
    for _ in range(5):
        context.map("m", item, range(8), concurrency=LANES, failures="collect")
    assert {one.connection for one in seen} == {None}
    # The pool takes a connection back a moment later; SQLite keeps the files of closed ones, to use them again.
    most = 1 + (connection.vendor == "sqlite") * LANES
    wait_until(lambda: held_by_this_process() <= most, what=f"at most {most} are held")


def held_by_this_process() -> int:
    """Sessions that somebody holds; on SQLite the database's open files."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        return sum(file.path == name for file in psutil.Process().open_files())
    stats = getattr(connection, "pool").get_stats()  # noqa: B009
    return int(stats["pool_size"] - stats["pool_available"])


def test_more_lanes_than_the_pool_has_connections_wait_for_nothing(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    def item(number: int) -> int:
        Task.objects.get(pk=lab.task.pk)
        return number

    results = lab.attempt().map("m", item, range(200), concurrency=100)
    assert results == list(range(200))
    # Without a connection it would have had to repeat its write.
    assert "did not take a write" not in caplog.text


def test_what_an_item_does_in_a_transaction_is_done_or_not_done(lab: Lab) -> None:
    def item(number: int) -> int:
        with transaction.atomic():
            make_user(f"user-{number}")
            if number % 2:
                raise PermanentError("odd")
        return number

    items = lab.attempt().map("m", item, range(8), concurrency=LANES, failures="collect")
    assert [entry.failed for entry in items] == [False, True] * 4
    names = set(get_user_model().objects.values_list("username", flat=True))
    assert names == {"ada", *(f"user-{number}" for number in range(0, 8, 2))}


def test_what_waits_for_the_commit_of_an_item_comes_in_its_lane(lab: Lab) -> None:
    done: list[tuple[int, int]] = []

    def item(number: int) -> None:
        with transaction.atomic():
            transaction.on_commit(lambda: done.append((number, threading.get_ident())))
            assert not any(entry[0] == number for entry in done)

    side_by_side(lab, item)
    assert sorted(number for number, _ in done) == list(range(8))
    assert threading.get_ident() not in {thread for _, thread in done}


def test_a_transaction_around_a_step_is_refused(lab: Lab) -> None:
    context = lab.attempt()
    with pytest.raises(StepInsideTransaction, match="cannot begin inside a transaction"), transaction.atomic():
        context.map("m", lab.work, range(2))
    assert not lab.executed


def test_signals_reach_their_receivers_in_the_lane_that_sent_them(lab: Lab) -> None:
    makers: dict[str, int] = {}
    receivers: dict[str, int] = {}

    def receive(instance: User, **_: Any) -> None:
        receivers[instance.username] = threading.get_ident()

    def item(number: int) -> None:
        makers[f"user-{number}"] = threading.get_ident()
        make_user(f"user-{number}")

    post_save.connect(receive, sender=get_user_model())
    try:
        side_by_side(lab, item)
    finally:
        post_save.disconnect(receive, sender=get_user_model())
    assert makers == receivers
    assert threading.get_ident() not in receivers.values()


def test_watchers_hear_of_every_item(lab: Lab) -> None:
    versions: list[int] = []

    def hear(version: int, **_: Any) -> None:
        versions.append(version)

    context = lab.attempt()
    task_changed.connect(hear)
    try:
        context.map("m", lab.work, range(8), concurrency=LANES)
    finally:
        task_changed.disconnect(hear)
    # One for the total, one for each item; each version once, whatever order they are heard in.
    assert len(versions) == len(set(versions)) == 9


def test_the_context_may_be_used_from_every_lane(lab: Lab) -> None:
    context = lab.attempt()

    def item(number: int) -> str:
        context.checkpoint()
        assert 0 < context.time_left() <= 60
        context.progress(message=f"Item {number}")
        path = context.workdir / f"{number}.txt"
        path.write_text(f"{number}")
        context.sleep(0.01)
        return path.read_text()

    assert context.map("m", item, range(12), concurrency=LANES) == [str(number) for number in range(12)]
    assert lab.progress() == (12, 12, 0)


def test_a_call_is_written_down_for_the_item_that_makes_it(lab: Lab) -> None:
    context = lab.attempt()

    def item(number: int) -> int:
        call = context.open_call(CallPlan(content_key=f"key {number}", endpoint="http://there", model_name="m"))
        context.close_call(call, outcome="answered")
        return call.row.step_index or 0

    assert context.map("m", item, range(12), concurrency=LANES) == list(range(12))
    assert list(ModelCall.objects.order_by("step_index").values_list("step_index", flat=True)) == list(range(12))


def test_a_step_inside_an_item_is_an_error(lab: Lab) -> None:
    context = lab.attempt()
    with pytest.raises(StepInsideStep):
        context.map("m", lambda n: context.step("inner", lab.work, n), range(4), concurrency=LANES)
    assert not lab.executed


def test_an_unexpected_error_stops_the_others_and_what_is_finished_is_kept(lab: Lab) -> None:
    lab.fail[3] = [ZeroDivisionError("ours")]
    with pytest.raises(ZeroDivisionError, match="ours"):
        side_by_side(lab, lab.work, count=1000)
    assert sum(lab.executed.values()) < 1000
    assert StepResult.objects.count() == sum(lab.executed.values()) - 1


def test_a_stop_comes_before_every_other_error(lab: Lab) -> None:
    together = threading.Barrier(2, timeout=45)

    def item(number: int) -> None:
        together.wait()
        raise AttemptTimeUp if number else ZeroDivisionError

    with pytest.raises(AttemptTimeUp):
        lab.attempt().map("m", item, range(2), concurrency=2)


def test_a_library_that_closes_connections_in_an_item_harms_nobody(lab: Lab) -> None:
    def item(number: int) -> int:
        close_old_connections()
        connection.close()
        Task.objects.get(pk=lab.task.pk)
        with suppress(ZeroDivisionError):
            connection.close()
        return number

    assert side_by_side(lab, item) == list(range(8))
    assert lab.progress() == (8, 8, 0)
