"""One line for each call of the embedded model, out of the seven that llama.cpp writes."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# A line begins with its time (0.04.424.871), a letter for its level, and the part that speaks (slot, srv).
LINE = re.compile(r"^(?:\d+\.)+\d+ (?P<level>[A-Z]) (?P<text>.*)$")
TASK = re.compile(r"(?:\| task |task id = |id_task = )(?P<number>\d+)")
PROMPT = re.compile(r"prompt eval time = .*?/\s*(\d+) tokens")
ANSWER = re.compile(r"\|\s+eval time = .*?/\s*(\d+) tokens")
TOTAL = re.compile(r"total time =\s*([\d.]+) ms")
REFUSAL = re.compile(r"send_error: .*?error: (.*)$")
DEBUG_LEVELS = {"I", "D"}


@dataclass(slots=True)
class Call:
    """What is known of a call that has begun. Tokens; milliseconds; `refusal`: llama.cpp's words."""

    prompt_tokens: int = 0
    answer_tokens: int = 0
    milliseconds: float | None = None
    refusal: str = ""

    def sentence(self) -> str:
        if self.refusal:
            return f"refused: {self.refusal}"
        if self.milliseconds is None:
            return "stopped by its caller"
        return f"{self.prompt_tokens} + {self.answer_tokens} tokens in {self.milliseconds / 1000:.2f} s"


class CallLog:
    """Reads llama.cpp's lines, writes one line at the end of each call, and passes on what is not about a call."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._calls: dict[str, Call] = {}

    def read(self, line: str) -> None:
        parts = LINE.match(line)
        task = parts and TASK.search(parts["text"])
        if parts and task:
            self._about_call(task["number"], parts["text"])
        elif not parts or parts["level"] not in DEBUG_LEVELS:
            self._write(line)

    def _about_call(self, number: str, text: str) -> None:
        call = self._calls.setdefault(number, Call())
        if found := PROMPT.search(text):
            call.prompt_tokens = int(found[1])
        elif found := ANSWER.search(text):
            call.answer_tokens = int(found[1])
        elif found := TOTAL.search(text):
            call.milliseconds = float(found[1])
        elif found := REFUSAL.search(text):
            call.refusal = found[1]
        elif "stop processing" in text:
            self._write(f"call {number}: {self._calls.pop(number).sentence()}")


@contextmanager
def stderr_read_by(read: Callable[[str], None]) -> Iterator[None]:
    """Give every line that this process writes to its standard error, C code's too, to `read`, in a thread."""
    kept = os.dup(2)
    source, sink = os.pipe()
    os.dup2(sink, 2)
    os.close(sink)

    def pump() -> None:
        with os.fdopen(source, errors="replace") as lines:
            for line in lines:
                read(line.rstrip("\n"))

    thread = threading.Thread(target=pump, daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.dup2(kept, 2)
        thread.join()
        os.close(kept)
