"""`python -m bench.sockets ADDRESS TOKEN < task ids`: a client with a socket for each task, as a program of its own.

Says `open` when all have their first frames and are quiet, and one line for each frame of a change: {"task", "version",
"at"}, `at` being the machine's monotonic clock in seconds.
"""

import asyncio
import json
import sys
import time
from typing import Any

from websockets.asyncio.client import connect

# Handshakes at a time.
AT_ONCE = 5
OPENED_SECONDS = 60
# Until the subscriptions stand, and the second looks are over.
SETTLED_SECONDS = 2.0


async def main(address: str, token: str, task_ids: list[str]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)
    opened = [asyncio.Event() for _ in task_ids]
    # One socket that fails ends the others.
    async with asyncio.TaskGroup() as group:
        for task_id, has_opened in zip(task_ids, opened, strict=True):
            group.create_task(Watch(address, token, task_id).follow(gate, has_opened))
        await asyncio.gather(*(event.wait() for event in opened))
        await asyncio.sleep(SETTLED_SECONDS)
        say("open")


class Watch:
    def __init__(self, address: str, token: str, task_id: str) -> None:
        self._url = f"{address}/ws/tasks/{task_id}/"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._task_id = task_id

    async def follow(self, gate: asyncio.Semaphore, opened: asyncio.Event) -> None:
        async with gate:
            socket = await connect(self._url, additional_headers=self._headers, proxy=None, open_timeout=OPENED_SECONDS)
            await socket.recv()
        opened.set()
        async for line in socket:
            self._tell(json.loads(line), at=time.monotonic())

    def _tell(self, frame: dict[str, Any], *, at: float) -> None:
        if frame["type"] != "snapshot":
            say(json.dumps({"task": self._task_id, "version": frame["version"], "at": at}))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.stdin.read().split()))
