"""The rules and the autoscaler's query, evaluated by Prometheus' own tool. Defined where that is installed."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.test_deploy import RULES, triggers


def steady(value: str) -> str:
    """A series that stays as it is for half an hour."""
    return " ".join([value] * 30)


# What a queue looks like -> workers wanted by the drain time, and by the depth; None: no number, which KEDA takes as 0.
# (workers, drain in seconds or None, depth, paused of the depth, open incident of the endpoint)
SITUATIONS: dict[str, tuple[tuple[int, str | None, int, int, int], float | None, float]] = {
    "empty": ((4, "0", 0, 0, 0), 0, 0),
    "in time": ((4, "150", 10, 0, 0), 2, 1),
    "behind": ((4, "450", 90, 0, 0), 6, 1),
    "far behind: no more than twice as many at once": ((4, "9000", 900, 0, 0), 8, 1),
    "nothing is done": ((4, "Inf", 10, 0, 0), 8, 1),
    "no worker yet": ((0, "Inf", 10, 0, 0), 0, 1),
    "paused": ((4, None, 10, 10, 0), None, 0),
    "the endpoint is down": ((4, "Inf", 10, 0, 1), 4, 1),
}
# Alert -> series that raise it, and for how many minutes they last.
RAISED: dict[str, dict[str, str]] = {
    "LonghaulDown": {},
    "LonghaulBacklog": {'longhaul_queue_drain_seconds{queue="gpu"}': steady("Inf")},
    "LonghaulNoWorker": {'longhaul_queue_unserved{queue="gpu"}': steady("1")},
    "LonghaulTasksFail": {
        'longhaul_tasks_finished_total{kind="a",status="failed",code="error"}': "0+5x20",
        'longhaul_tasks_finished_total{kind="a",status="succeeded",code=""}': "0+5x20",
    },
    "LonghaulEndpointRefuses": {
        'longhaul_model_calls_total{kind="a",outcome="rate_limited"}': "0+5x30",
        'longhaul_model_calls_total{kind="a",outcome="answered"}': "0+5x30",
    },
    "LonghaulSchedulesLate": {"longhaul_schedule_overdue_seconds": "0+60x20"},
    "LonghaulFiringsMissed": {'longhaul_schedule_firings_total{outcome="missed"}': f"0 0 {steady('1')}"},
    "LonghaulChildrenDie": {'longhaul_child_restarts_total{cause="in_attempt"}': "0+2x20"},
}
QUIET = {
    'longhaul_queue_depth{queue="gpu"}': steady("0"),
    'longhaul_queue_drain_seconds{queue="gpu"}': steady("200"),
    'longhaul_child_restarts_total{cause="tasks"}': "0+5x30",
    'longhaul_tasks_finished_total{kind="a",status="succeeded",code=""}': "0+9x30",
    'longhaul_tasks_finished_total{kind="a",status="failed",code="error"}': "0+1x30",
    "longhaul_counts_up": steady("1"),
}


def series(values: dict[str, str]) -> list[dict[str, str]]:
    return [{"series": name, "values": numbers} for name, numbers in values.items()]


def queue(workers: int, drain: str | None, depth: int, held: int, incident: int) -> dict[str, str]:
    of_gpu = {"workers": str(workers), "queue_drain_seconds": drain, "queue_depth": str(depth), "queue_held": str(held)}
    found = {f'longhaul_{name}{{queue="gpu"}}': steady(value) for name, value in of_gpu.items() if value is not None}
    return found | {'longhaul_alerts_open{rule="endpoint"}': steady(str(incident))}


def expects(query: str, value: float | None) -> dict[str, Any]:
    samples = [] if value is None else [{"labels": "{}", "value": value}]
    return {"expr": query, "eval_time": "2m", "exp_samples": samples}


if promtool := shutil.which("promtool"):
    tool = promtool

    def evaluate(path: Path, tests: list[dict[str, Any]]) -> None:
        file = path / "tests.yml"
        file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
        done = subprocess.run([tool, "test", "rules", str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_nothing_is_wrong_with_the_rules() -> None:
        done = subprocess.run([tool, "check", "rules", str(RULES)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    @pytest.mark.parametrize("situation", SITUATIONS)
    def test_as_many_workers_are_wanted_as_the_drain_time_asks_for(situation: str, tmp_path: Path) -> None:
        now, by_drain, by_depth = SITUATIONS[situation]
        first, second = (trigger["metadata"]["query"] for trigger in triggers())
        wanted = [expects(first, by_drain), expects(second, by_depth)]
        evaluate(tmp_path, [{"interval": "1m", "input_series": series(queue(*now)), "promql_expr_test": wanted}])

    def test_alerts_are_raised_by_what_they_are_for_and_by_nothing_else(tmp_path: Path) -> None:
        raised = [
            {
                "interval": "1m",
                "input_series": series(values),
                "promql_expr_test": [
                    {
                        "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})',
                        "eval_time": "20m",
                        "exp_samples": [{"labels": "{}", "value": 1}],
                    }
                ],
            }
            for alert, values in RAISED.items()
        ]
        nothing = {"expr": "ALERTS", "eval_time": "20m", "exp_samples": []}
        quiet = {"interval": "1m", "input_series": series(QUIET), "promql_expr_test": [nothing]}
        evaluate(tmp_path, [*raised, quiet])
