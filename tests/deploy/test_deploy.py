"""What operators are given: readable, and it names only metrics and labels that are exported."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tasks_app.models import AlertRule, ErrorCode, FiringOutcome
from tasks_app.monitoring.catalogue import COUNTERS, HISTOGRAMS
from tasks_app.monitoring.gauges import GAUGES
from tasks_app.processes.keeper import Cause

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "longhaul.rules.yml"
DASHBOARD = DEPLOY / "grafana" / "longhaul.json"
KEDA = DEPLOY / "autoscaling" / "keda.yml"
NAME = re.compile(r"longhaul_\w+")
MATCHED = re.compile(r"(longhaul_\w+)\{([^}]*)\}")
GROUPED = re.compile(r"by \(([^)]*)\)")
PARTS = ("_bucket", "_sum", "_count")
# Besides the catalogue's: they have no labels.
PLAIN = {"longhaul_counts_up", "longhaul_websocket_connections"}


def exported() -> dict[str, set[str]]:
    """Name of a series -> its labels."""
    labels = {f"{one.name}_total": set(one.labels) for one in COUNTERS}
    labels |= {f"{one.name}{part}": {*one.labels, "le"} for one in HISTOGRAMS for part in PARTS}
    labels |= {one.name: set(one.labels) for one in GAUGES}
    return labels | {name: set() for name in PLAIN}


def rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from group["rules"]


def panels() -> list[dict[str, Any]]:
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def triggers() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(KEDA.read_text())["spec"]["triggers"]
    return found


EXPRESSIONS = {
    "rules": [rule["expr"] for rule in rules()],
    "dashboard": [target["expr"] for panel in panels() for target in panel["targets"]],
    "autoscaling": [trigger["metadata"]["query"] for trigger in triggers()],
}


@pytest.mark.parametrize("where", EXPRESSIONS)
def test_every_metric_that_is_named_is_exported(where: str) -> None:
    named = {name for expression in EXPRESSIONS[where] for name in NAME.findall(expression)}
    assert named
    assert named - set(exported()) == set()


@pytest.mark.parametrize("where", EXPRESSIONS)
def test_every_label_that_is_asked_for_is_one_of_the_metric(where: str) -> None:
    for expression in EXPRESSIONS[where]:
        for name, matchers in MATCHED.findall(expression):
            assert set(re.findall(r"(\w+)\s*=", matchers)) <= exported()[name], expression
        grouped = {label.strip() for group in GROUPED.findall(expression) for label in group.split(",")}
        labels: set[str] = set().union(*(exported()[name] for name in NAME.findall(expression)))
        assert grouped <= labels, expression


def test_values_that_are_asked_for_exist() -> None:
    known = {*Cause, *FiringOutcome.values, *ErrorCode.values, *AlertRule.values, "failed", "rate_limited", "gpu"}
    for expression in (one for some in EXPRESSIONS.values() for one in some):
        for values in re.findall(r'=~?"([^"$]*)"', expression):
            assert set(values.split("|")) <= known, expression


def test_every_alert_says_what_it_is_about_and_how_grave() -> None:
    alerts = [rule for rule in rules() if "alert" in rule]
    assert len({alert["alert"] for alert in alerts}) == len(alerts) > 5
    for alert in alerts:
        assert alert["labels"]["severity"] in ("warning", "critical")
        assert alert["annotations"]["summary"].endswith((".", "?"))


def test_panels_have_places_of_their_own() -> None:
    places: set[tuple[int, int]] = set()
    for panel in panels():
        at = panel["gridPos"]
        squares = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not squares & places, panel["title"]
        assert at["x"] + at["w"] <= 24
        places |= squares
    assert len({panel["id"] for panel in panels()}) == len(panels())


def test_the_autoscaler_neither_fails_on_a_pause_nor_on_a_queue_where_nothing_is_done() -> None:
    """KEDA takes neither an empty result nor +Inf as a number, unless told."""
    for trigger in triggers():
        assert trigger["metadata"]["ignoreNullValues"] == "true"
        assert "clamp_max" in trigger["metadata"]["query"]


def test_the_scrape_configuration_has_one_target() -> None:
    (job,) = yaml.safe_load((DEPLOY / "prometheus" / "scrape.yml").read_text())["scrape_configs"]
    assert len(job["static_configs"][0]["targets"]) == 1
    assert job["authorization"]["type"] == "Bearer"
