import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from project.launch import embedded_redis
from project.launch.errors import NoRedisServer
from tests.support.programs import wait_until


def bundled(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PATH", "/nowhere")
    return embedded_redis.binary()


@contextmanager
def running(server: str, folder: Path) -> Iterator[redis.Redis]:
    """A server over `folder` that is killed with SIGKILL at the end."""
    path = folder / "s"
    program = embedded_redis.program(server, data=folder / "data", path=path)
    process = subprocess.Popen(program.argv, stdout=subprocess.DEVNULL)
    try:
        wait_until(program.is_ready)
        with redis.Redis(unix_socket_path=str(path)) as client:
            yield client
    finally:
        process.kill()
        process.wait()


@pytest.fixture(params=["system", "bundled"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server that would be used here, and the one of a machine without any, where the packages have one."""
    return embedded_redis.binary() if request.param == "system" else bundled(monkeypatch)


def written_to_disk(client: redis.Redis) -> bool:
    return int(client.info("persistence")["aof_pending_bio_fsync"]) == 0


def test_what_was_written_survives_a_kill(server: str, tmp_path: Path) -> None:
    with running(server, tmp_path) as client:
        client.rpush("doorbells", "one", "two")
        wait_until(lambda: written_to_disk(client))
    with running(server, tmp_path) as client:
        assert client.lrange("doorbells", 0, -1) == [b"one", b"two"]


def test_only_its_owner_can_open_the_socket_and_no_port_is_open(tmp_path: Path) -> None:
    with running(embedded_redis.binary(), tmp_path) as client:
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        assert client.config_get("port") == {"port": "0"}


def test_without_any_server_the_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoRedisServer, match="install `redis-server`, set REDIS_URL"):
        bundled(monkeypatch)
