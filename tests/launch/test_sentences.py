"""`python -m project.launch` says in one sentence why it does not start."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from project.launch import preflight

from .stand_ins import ROOT


def launch(var_dir: Path, **environment: str) -> str:
    """What it says on its standard error; the exit code is 1."""
    clean = {name: value for name, value in os.environ.items() if name not in {"REDIS_URL", "DATABASE_URL", "PORT"}}
    result = subprocess.run(
        [sys.executable, "-m", "project.launch"],
        cwd=ROOT,
        env={**clean, "LONGHAUL_VAR_DIR": str(var_dir), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"PORT": "web"}, "PORT='web': expected a whole number of at least 1, for example 8000.\n"),
        ({"DEBUG": "maybe"}, "DEBUG='maybe': expected 1 or 0.\n"),
    ],
)
def test_a_bad_setting(environment: dict[str, str], sentence: str, tmp_path: Path) -> None:
    assert launch(tmp_path, **environment) == sentence


def test_a_page_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        said = launch(tmp_path, PORT=port)
    assert said.startswith(f"Port {port} of 127.0.0.1 is not free for the page")
    assert said.count("\n") == 1


def test_a_model_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as model, socket.create_server(("127.0.0.1", 0)) as free:
        page, port = str(free.getsockname()[1]), str(model.getsockname()[1])
        free.close()
        said = launch(tmp_path, PORT=page, LONGHAUL_EMBEDDED_MODEL_PORT=port)
    assert said.startswith(f"Port {port} of 127.0.0.1 is not free for the embedded model")
    assert said.count("\n") == 1


def test_a_second_start_of_the_same_folder(tmp_path: Path) -> None:
    with preflight.hold(tmp_path):
        said = launch(tmp_path)
    assert said.startswith(f"Longhaul already runs from {tmp_path}")
    assert said.count("\n") == 1


def test_a_database_that_is_away(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as page, socket.create_server(("127.0.0.1", 0)) as model:
        ports = {"PORT": str(page.getsockname()[1]), "LONGHAUL_EMBEDDED_MODEL_PORT": str(model.getsockname()[1])}
    said = launch(tmp_path, DATABASE_URL="postgres://someone@127.0.0.1:1/longhaul", **ports)
    assert said.startswith("The database could not be prepared, expected one that DATABASE_URL reaches: connection")
    assert said.count("\n") == 1
