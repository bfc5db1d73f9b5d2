"""`python -m drill`: a line for each drill, and an exit code that says whether a guarantee was broken."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from drill.__main__ import perform
from drill.lines import told
from drill.registry import Drill, DrillFailed, Figures, Size, expect
from tests.support.programs import PROJECT


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"DATABASE": connection.vendor}
    command = [sys.executable, "-m", "drill", "--short", *arguments]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)


def test_a_task_goes_on_when_its_database_crashed_and_is_back() -> None:
    done = program("database restarted")
    assert done.returncode == 0, done.stdout
    verdict = r"ok +went on after .* s, calls 3" if connection.vendor == "postgresql" else "- +not applicable: "
    assert re.match(rf"database restarted +{verdict}", done.stdout)


def test_a_word_that_no_drill_holds_is_one_sentence() -> None:
    done = program("earthquake")
    assert done.returncode != 0
    assert done.stderr.startswith("No drill's name holds ['earthquake']: there are child killed -9, ")


def test_a_broken_guarantee_is_told_with_its_reason_and_a_log(
    transactional_db: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(size: Size) -> Figures:
        print("what the programs say")
        expect(size is Size.FULL, "a step was executed twice")
        return []

    monkeypatch.setattr("drill.__main__.LOGS", tmp_path)
    assert not perform(Drill("all broken", broken), Size.SHORT)
    assert perform(Drill("all broken", broken), Size.FULL)
    said = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()) for line in said] == [
        "all broken FAILED a step was executed twice",
        f"its programs said: {tmp_path / connection.vendor / 'all-broken.log'}",
        "all broken ok",
    ]


def test_a_drill_is_found_by_words_of_its_name_and_by_its_module() -> None:
    one = Drill("child killed -9", lambda _: [])
    assert [one.matches(words) for words in ([], ["killed"], ["test_drill"], ["redis", "child"], ["redis"])] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_figures_are_told_shortly() -> None:
    assert told([("went on after", 1.6234, "s"), ("calls", 4012, ""), ("seed", 1, "")]) == (
        "went on after 1.62 s, calls 4012, seed 1"
    )


def test_what_is_not_so_is_a_failed_drill() -> None:
    expect([1], "nothing")
    with pytest.raises(DrillFailed, match="nothing is left"):
        expect([], "nothing is left")
