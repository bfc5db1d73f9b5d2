"""Frames: {"type": "snapshot" | "task" | "step", "version": int, "data": {...}}, each below 64 KB.

The objects of `presentation` fit one by one; only a list of them has to be cut.
"""

import json
from collections.abc import Sequence
from typing import Any

MAX_BYTES = 64 * 1024
# For the words around a list's objects.
ENVELOPE_BYTES = 100


def frame(kind: str, *, version: int, data: dict[str, Any]) -> str:
    # ASCII: as many bytes as characters.
    return json.dumps({"type": kind, "version": version, "data": data})


def list_snapshot(objects: Sequence[dict[str, Any]]) -> list[str]:
    """A snapshot of as many as fit, then a task frame for each of the others. Version 0: a list has none."""
    room = MAX_BYTES - ENVELOPE_BYTES
    fitting = 0
    for one in objects:
        room -= len(json.dumps(one)) + 2
        if room < 0:
            break
        fitting += 1
    snapshot = frame("snapshot", version=0, data={"items": list(objects[:fitting])})
    return [snapshot, *(frame("task", version=one["version"], data=one) for one in objects[fitting:])]
