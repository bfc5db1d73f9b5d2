"""Counted by a real worker, its children and web processes; read through two of these."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.sync.client import connect

from tasks_app.models import ApiToken, Task
from tasks_app.monitoring import counters
from tests.road.conftest import free_port, serve
from tests.support import kinds
from tests.support.client import ApiClient
from tests.support.house import House
from tests.support.rows import make_user

pytestmark = pytest.mark.django_db(transaction=True)

type Samples = dict[tuple[str, ...], float]

# All but the steps: that of the task that kills its program is lost, if it was not sent before.
COUNTED = (
    *("tasks_submitted_total", "tasks_finished_total", "child_restarts_total"),
    *("attempt_seconds_count", "task_wait_seconds_count"),
)


@pytest.fixture
def house(settings: Any) -> Iterator[House]:
    with House(LONGHAUL_MAX_LOST_ATTEMPTS="1") as house:
        # What this test submits, it counts as a web process would.
        settings.REDIS_URL = house.redis_url
        counters.renew()
        yield house
    counters.renew()


def scrape(api: ApiClient) -> Samples:
    """(name, values of its labels in the order of their names ...) -> value, without what did not happen."""
    answer = api.get("/metrics")
    assert answer.status == 200, answer.body
    families = text_string_to_metric_families(answer.body.decode())
    found = {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}
    return {name: value for name, value in found.items() if value}


def counted(api: ApiClient, *names: str) -> Samples:
    return {key: value for key, value in scrape(api).items() if key[0] in {f"longhaul_{name}" for name in names}}


def end(house: House, tasks: list[Any]) -> None:
    ended = Task.objects.finished().filter(pk__in=[task.id for task in tasks])
    house.wait_until(lambda: ended.count() == len(tasks), 120, what="all tasks have ended")


# On a busy machine each of its programs takes ten times as long to start.
@pytest.mark.timeout(400)
def test_all_processes_add_up_and_every_web_process_tells_the_same(house: House, tmp_path: Path) -> None:
    token = ApiToken.issue(make_user("grace", is_staff=True).pk)
    first, second = (ApiClient(serve(house, free_port()), token) for _ in range(2))
    worker = house.ready_worker("gpu")
    assert counted(first, "workers") == {("longhaul_workers", "gpu"): 1}
    journal = str(tmp_path / "journal")
    # Attempts that end in the child, just before it dies in another one.
    tasks = [kinds.quick.enqueue(journal=journal, line=str(number)) for number in range(5)]
    tasks += [kinds.steps.enqueue(journal=journal, count=3), kinds.broken.enqueue()]
    end(house, [*tasks, kinds.poison.enqueue(journal=journal)])
    headers = {"Authorization": f"Bearer {token}"}
    with connect(f"{first.base.replace('http', 'ws')}/ws/tasks/", additional_headers=headers, proxy=None):
        house.wait_until(lambda: counted(second, "websocket_connections"), 60, what="the socket is counted")
        assert counted(second, "websocket_connections") == {("longhaul_websocket_connections",): 1}
    # Its counts are not a second old when the worker must leave.
    end(house, [kinds.quick.enqueue(journal=journal, line="last")])
    assert worker.stop(within=60) == 0
    assert counters.flush(10)
    house.wait_until(lambda: not counted(second, "websocket_connections"), 60, what="no socket is open")

    found = counted(first, *COUNTED)
    assert found == {
        ("longhaul_tasks_submitted_total", "test.quick", "gpu"): 6,
        ("longhaul_tasks_submitted_total", "test.steps", "gpu"): 1,
        ("longhaul_tasks_submitted_total", "test.broken", "gpu"): 1,
        ("longhaul_tasks_submitted_total", "test.poison", "gpu"): 1,
        ("longhaul_tasks_finished_total", "", "test.quick", "succeeded"): 6,
        ("longhaul_tasks_finished_total", "", "test.steps", "succeeded"): 1,
        ("longhaul_tasks_finished_total", "error", "test.broken", "failed"): 1,
        ("longhaul_tasks_finished_total", "interruptions_exhausted", "test.poison", "failed"): 1,
        ("longhaul_attempt_seconds_count", "test.quick", "succeeded"): 6,
        ("longhaul_attempt_seconds_count", "test.steps", "succeeded"): 1,
        ("longhaul_attempt_seconds_count", "test.broken", "error"): 1,
        ("longhaul_attempt_seconds_count", "test.poison", "lost"): 1,
        ("longhaul_task_wait_seconds_count", "test.quick", "gpu"): 6,
        ("longhaul_task_wait_seconds_count", "test.steps", "gpu"): 1,
        ("longhaul_task_wait_seconds_count", "test.broken", "gpu"): 1,
        ("longhaul_task_wait_seconds_count", "test.poison", "gpu"): 1,
        ("longhaul_child_restarts_total", "in_attempt"): 1,
    }
    assert counted(second, *COUNTED) == found
    assert counted(first, "step_seconds_count")["longhaul_step_seconds_count", "test.steps", "succeeded"] == 3
    # Nobody is left who could do another one.
    kinds.broken.enqueue()
    assert counted(first, "workers", "queue_depth", "queue_unserved", "queue_drain_seconds") == {
        ("longhaul_queue_depth", "gpu"): 1,
        ("longhaul_queue_unserved", "gpu"): 1,
        # By those that were done in the last ten minutes.
        ("longhaul_queue_drain_seconds", "gpu"): pytest.approx(600 / 9),
    }
