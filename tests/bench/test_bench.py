"""The bench measures a little and prints its table: what its figures are, no test says."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from bench.samples import percentile, ratio_of_medians
from tests.support.programs import PROJECT


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


PARTS = [
    # These two write in another way on PostgreSQL.
    ("noop", "tasks of one user, five admitted at a time"),
    ("steps", "whole step (Context.step), its guard at the start included"),
    ("pickup", "of it: until the doorbell has rung"),
    ("long", "its last 2 steps next to its first"),
    ("events", "5 open sockets"),
    ("pages", "of it: the calls, first to last"),
    ("latency", "GET /api/tasks/{id}"),
]


@pytest.mark.parametrize(("part", "row"), PARTS[:2] if connection.vendor == "postgresql" else PARTS)
def test_a_part_prints_its_table(part: str, row: str, tmp_path: Path) -> None:
    output = tmp_path / "bench.md"
    done = bench(part, "--quick", "--database", connection.display_name, "--output", str(output))
    assert done.returncode == 0, done.stderr
    assert f"\n{row} " in done.stdout
    assert f"| {row} |" in output.read_text()


def test_an_unknown_part_is_one_sentence() -> None:
    done = bench("speed")
    assert done.returncode != 0
    assert done.stderr.startswith("Unknown parts: speed; expected of noop, ")


def test_a_percentile_is_one_of_the_samples() -> None:
    samples = [float(n) for n in range(1, 101)]
    assert [percentile(samples, percent) for percent in (0, 50, 99, 100)] == [1, 50, 99, 100]
    assert percentile([7.0], 99) == 7.0


def test_one_disturbed_round_does_not_move_a_ratio() -> None:
    calm = [[1.0, 1.0, 9.0]] * 3
    assert ratio_of_medians([[2.0, 2.0, 2.0], [50.0, 50.0, 50.0], [2.0, 2.0, 2.0]], calm) == 2.0
