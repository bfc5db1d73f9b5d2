"""A child starts with every kind, and without what only the web needs."""

import os
import subprocess
import sys

from tests.support.programs import PROJECT

START = """
import gc, sys
from tasks_app.processes.warm_up import warm_up
print(*sorted(warm_up()))
print(*{"ninja", "pydantic"}.intersection(sys.modules))
print(gc.isenabled(), gc.get_freeze_count() > 0)
print("colorsys" in sys.modules)
"""


def test_the_kinds_are_known_and_the_api_is_not_loaded() -> None:
    said = subprocess.run(
        [sys.executable, "-c", START],
        cwd=PROJECT,
        env=os.environ | {"LONGHAUL_WARM_MODULES": "colorsys"},
        capture_output=True,
        text=True,
        check=True,
    )
    kinds, faces, garbage, is_warm = said.stdout.splitlines()
    assert {"document.generate", "document.extract"} <= set(kinds.split())
    assert faces == ""
    assert garbage == "True True"
    assert is_warm == "True"
