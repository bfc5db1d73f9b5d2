"""`make bench`: measures part by part, each on a fresh database and in processes of its own, and prints tables."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.programs import PROJECT

from . import databases
from .table import Table

# What a part measures, and on which databases.
BOTH = (databases.SQLITE, databases.POSTGRESQL)
PARTS = {
    "noop": BOTH,
    "pickup": BOTH,
    "steps": BOTH,
    "long": BOTH,
    "events": BOTH,
    "pages": BOTH,
    "latency": BOTH,
    "memory": (databases.SQLITE,),
    "model": (databases.SQLITE,),
}
KEPT = PROJECT / "var" / "bench.md"


class PartFailed(Exception):
    def __init__(self, part: str, said: str, *, log: Path) -> None:
        super().__init__(f"{part} could not be measured. It said:\n{said[-4000:]}\nIts programs said: {log}")


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        raise SystemExit(f"Unknown parts: {', '.join(sorted(unknown))}; expected of {', '.join(PARTS)}.")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    written, failed = [f"{machine()}\n"], 0
    for part, database in wanted(options):
        print(f"measuring {part} on {database}", file=sys.stderr, flush=True)
        try:
            table = table_of(part, database, options)
        except PartFailed as failure:
            print(failure, file=sys.stderr, flush=True)
            failed += 1
            continue
        print(table.for_terminal(), flush=True)
        written.append(table.for_markdown())
        options.output.write_text("\n".join(written))
    print(f"The same as Markdown: {options.output}")
    return int(failed > 0)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    found.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; none: all")
    found.add_argument("--quick", action="store_true", help="a few samples, to see that it works")
    found.add_argument("--database", choices=BOTH, action="append", help="by default each that is installed")
    found.add_argument("--output", type=Path, default=KEPT, help="where the Markdown goes")
    return found


def wanted(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Parts and databases."""
    there = options.database or databases.available()
    return [(part, database) for part in options.parts or PARTS for database in PARTS[part] if database in there]


def table_of(part: str, database: str, options: argparse.Namespace) -> Table:
    """Raises PartFailed."""
    log = options.output.with_suffix(f".{part}-{database}.log")
    with databases.fresh(database) as environment, tempfile.TemporaryDirectory() as folder, log.open("w") as out:
        output = Path(folder) / "table.json"
        command = [sys.executable, "-m", "bench.part", part, str(output), "quick" if options.quick else "full"]
        done = subprocess.run(
            command,
            cwd=PROJECT,
            env=os.environ | environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            raise PartFailed(f"{part} on {database}", done.stderr, log=log)
        return Table.from_json(json.loads(output.read_text()))


def machine() -> str:
    python = platform.python_version()
    return f"Measured with {os.cpu_count()} cores, Python {python}, {platform.system()} {platform.machine()}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
