"""honcho's printer, for a terminal or pipe that may go away while the programs still have to be ended in order."""

import os
from collections.abc import Callable
from typing import Any

from honcho.printer import Printer


class Terminal(Printer):  # type: ignore[misc]
    """Calls `on_lost` when nobody reads any more; from then on everything goes nowhere, and nothing raises."""

    def __init__(self, output: Any, *, on_lost: Callable[[], None]) -> None:
        super().__init__(output)
        self._on_lost = on_lost

    def write(self, message: Any) -> None:
        self._guarded(lambda: super(Terminal, self).write(message))

    def write_plain(self, text: str) -> None:
        """Without the prefix that each line of a program has."""
        self._guarded(lambda: self.output.write(f"{text}\n"))
        self._guarded(self.output.flush)

    def _guarded(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError:
            # What is still buffered would raise again, at the exit at the latest.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.output.fileno())
            self._on_lost()
