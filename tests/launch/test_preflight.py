import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.launch import embedded_redis, preflight
from project.launch.errors import AlreadyRunning, PortTaken, SocketInUse, SocketPathTooLong

from .stand_ins import ROOT


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def check(port: int) -> None:
    preflight.check_port(port, purpose="the page", variable="PORT")


def test_a_port_in_use_is_one_sentence_with_the_way_out(taken: int) -> None:
    with pytest.raises(PortTaken) as caught:
        check(taken)
    assert str(caught.value) == (
        f"Port {taken} of 127.0.0.1 is not free for the page (address already in use): "
        "stop the program that has it, or choose another with PORT=."
    )


def test_a_port_whose_last_connections_linger_is_free(taken: int) -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            # The side that closes first keeps the port in TIME_WAIT.
            served, _ = listener.accept()
            served.close()
            client.recv(1)
    check(port)


def test_a_port_out_of_range_is_one_sentence() -> None:
    with pytest.raises(PortTaken, match="expected 1 to 65535"):
        check(70000)


def test_a_second_launcher_of_the_same_folder_is_refused(tmp_path: Path) -> None:
    with preflight.hold(tmp_path), pytest.raises(AlreadyRunning, match="already runs from"):
        preflight.hold(tmp_path)
    preflight.hold(tmp_path).close()


def test_a_launcher_that_was_killed_does_not_hold_its_folder(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, time; from project.launch import preflight; "
        "held = preflight.hold(pathlib.Path(sys.argv[1])); print('held', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", f"import django; django.setup(); {code}", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(AlreadyRunning):
        preflight.hold(tmp_path)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    preflight.hold(tmp_path).close()


def test_a_socket_path_that_is_too_long_is_one_sentence() -> None:
    with pytest.raises(SocketPathTooLong, match="set LONGHAUL_VAR_DIR to a shorter one"):
        embedded_redis.check_socket(Path("/tmp") / ("long" * 30) / "redis.sock")


def test_a_stale_socket_file_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    embedded_redis.check_socket(path)


def test_a_socket_that_someone_elses_redis_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    program = embedded_redis.program(embedded_redis.binary(), data=tmp_path / "data", path=path)
    redis = subprocess.Popen(program.argv, stdout=subprocess.DEVNULL)
    try:
        while not program.is_ready():
            assert redis.poll() is None
        with pytest.raises(SocketInUse):
            embedded_redis.check_socket(path)
    finally:
        redis.kill()
        redis.wait()
