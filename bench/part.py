"""`python -m bench.part NAME OUTPUT full|quick`: measures one part on the database of DATABASE_URL, in this process."""

import json
import os
import signal
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import django

from project.launch.lifeline import end_with_parent

from .scale import FULL, QUICK
from .table import Table


def main(name: str, output: str, scale: str) -> None:
    # So that a house is left as it should be, whoever ends the bench.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    end_with_parent(os.getppid(), signal.SIGTERM)
    django.setup()
    # They need Django's settings.
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
    table: Table = import_module(f"bench.{name}").measure(QUICK if scale == "quick" else FULL)
    Path(output).write_text(json.dumps(asdict(table)))


if __name__ == "__main__":
    main(*sys.argv[1:])
