"""A PostgreSQL server of the tests' own, gone afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self


def find_binaries() -> Path | None:
    """The folder with initdb and pg_ctl, newest version first."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    return versions[0].parent if versions else None


class ThrowawayPostgres:
    """`with ThrowawayPostgres(binaries) as postgres: postgres.url`"""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(tempfile.mkdtemp(prefix="longhaul-pg-"))
        self._data = self._folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    @property
    def url(self) -> str:
        return f"postgres://longhaul@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        if user := self._other_user():
            shutil.chown(self._folder, user)
        self._call("initdb", "-D", str(self._data), "-U", "longhaul", "-A", "trust", "-E", "UTF8", "--locale=C")
        self.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self._folder} -c max_connections=200"
        log = str(self._folder / "log")
        self._call("pg_ctl", "-D", str(self._data), "-o", options, "-l", log, "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        self._call("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        done = subprocess.run(
            command, user=self._other_user(), cwd=self._folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout}{done.stderr}")

    @staticmethod
    def _other_user() -> str | None:
        """PostgreSQL refuses to work as root."""
        if os.geteuid() != 0:
            return None
        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"
