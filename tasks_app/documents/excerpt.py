"""The part of a file by which its encoding is told: what comes after the ASCII at its beginning, decoded on trial."""

import codecs
import re
from dataclasses import dataclass

SAMPLE_BYTES = 64 * 1024
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`data`: begins with the file's first byte beyond ASCII. `whole`: it goes on to the file's end."""

    data: bytes
    whole: bool

    def text(self, encoding: str) -> str:
        """Broken bytes as U+FFFD; a last character that the excerpt cuts is left out."""
        return codecs.getincrementaldecoder(encoding)("replace").decode(self.data, self.whole)


def excerpt_of(data: bytes) -> Excerpt | None:
    """None: it is ASCII throughout."""
    found = BEYOND_ASCII.search(data)
    if not found:
        return None
    # What is before is ASCII: no character begins there and ends here.
    end = found.start() + SAMPLE_BYTES
    return Excerpt(data[found.start() : end], whole=end >= len(data))
