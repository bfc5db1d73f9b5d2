"""Small files that unpack to much: memory stays bounded, everybody lives, people are told what it was."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tasks_app.models import Attempt
from tests.road.conftest import Road, child_of
from tests.support import documents_office, documents_pdf

MEGABYTE = 2**20
READER_MEGABYTES = 256
# What the child itself may need more than when it was warm.
SLACK_MEGABYTES = 32
LOOK_SECONDS = 0.01
MEMORY = "could not be read within 256 MB of memory, which is the limit. Choose fewer pages, or split it."
UNPACKS = "unpacks to more than 16 MB of text and layout, which is the limit. Split it."


def bombs() -> dict[str, tuple[bytes, str]]:
    """By name: the file, and words of the sentence that people are told."""
    return {
        "a gigabyte in a stream.pdf": (documents_pdf.stream_bomb_pdf(1024, layers=3), MEMORY),
        "ten to the power of nine forms.pdf": (documents_pdf.laughing_pdf(), MEMORY),
        "much text.pdf": (documents_pdf.text_bomb_pdf(200_000), MEMORY),
        "many pages.pdf": (documents_pdf.many_pages_pdf(10_000), "has 10,000 pages, and 2,000 at most are accepted."),
        "unpacks to much.docx": (documents_office.zip_bomb(64), UNPACKS),
        "says that it is small.docx": (documents_office.lying_bomb(64), "is damaged and cannot be read."),
        "entities.docx": (documents_office.entity_bomb(), "is damaged and cannot be read."),
    }


class Peak:
    """The most that a process group was seen to have in memory, in bytes."""

    def __init__(self, group: int) -> None:
        self._group = group
        self.bytes = 0

    def look(self) -> None:
        self.bytes = max(self.bytes, sum(map(self._resident, psutil.pids())))

    def _resident(self, pid: int) -> int:
        # It may be gone by now.
        with suppress(OSError, psutil.Error):
            if os.getpgid(pid) == self._group:
                return int(psutil.Process(pid).memory_info().rss)
        return 0


@contextmanager
def watched(group: int) -> Iterator[Peak]:
    peak, over = Peak(group), threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            peak.look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


@pytest.mark.timeout(500)
def test_bombs_stay_within_the_readers_memory_and_the_next_task_is_fine(road: Road) -> None:
    worker = road.house.ready_worker("gpu", LONGHAUL_READER_MEMORY_BYTES=str(READER_MEGABYTES * MEGABYTE))
    road.house.scheduler()
    child = child_of(worker)
    warm = warmed_up(child, road)
    told: dict[str, Any] = {}
    files = bombs()
    for name, (content, _) in files.items():
        with watched(child.pid) as peak:
            task_id = road.submit(content, name=name)
            told[name] = road.wait_for_end(task_id)
        print(f"{name}: {peak.bytes / MEGABYTE:.0f} MB at most, the warm child {warm / MEGABYTE:.0f} MB")
        assert warm < peak.bytes < warm + (READER_MEGABYTES + SLACK_MEGABYTES) * MEGABYTE
        assert task_id in worker.said
    ends = {name: (task["status"], task["error"]["code"], task["attempts"]) for name, task in told.items()}
    assert ends == dict.fromkeys(files, ("failed", "invalid_input", 1))
    sentences = {name: task["error"]["message"] for name, task in told.items()}
    assert [said for name, said in sentences.items() if files[name][1] not in said] == []
    assert [said for said in sentences.values() if "\n" in said or "Error" in said] == []
    assert Attempt.objects.filter(task__in=[task["id"] for task in told.values()]).count() == len(files)
    assert len(road.house.endpoint.calls) == 1
    assert road.wait_for_end(road.submit(b"PAGE-0001 after the bombs", name="next.txt"))["status"] == "succeeded"
    assert (worker.is_alive, child_of(worker)) == (True, child)


def warmed_up(child: psutil.Process, road: Road) -> int:
    """The child's memory, bytes, after it has worked once."""
    assert road.wait_for_end(road.submit(b"PAGE-0001 to get warm", name="warm.txt"))["status"] == "succeeded"
    peak = Peak(child.pid)
    peak.look()
    return peak.bytes
