"""What the reader program may take. Imports nothing of the application: the reader is to start fast."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Of one document: pages that are read, characters of text in all, bytes of the reader's address space."""

    max_pages: int
    max_characters: int
    memory_bytes: int
