"""The directory of a ZIP archive, looked at in the web process: bounded, nothing is unpacked."""

import os
import struct
from typing import BinaryIO

END = struct.Struct("<4s4xHHLLH")
ENTRY = struct.Struct("<4s24xHHH12x")
# The end of the directory may be followed by a comment of 64 KB.
END_BYTES = END.size + 0xFFFF
DIRECTORY_BYTES = 1024 * 1024


def entry_names(file: BinaryIO) -> list[str] | None:
    """The names in the directory's first megabyte; None where there is no directory, as in half an archive.

    Leaves `file` somewhere.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - END_BYTES))
    tail = file.read(END_BYTES)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < END.size:
        return None
    *_, length, offset, _ = END.unpack_from(tail, at)
    file.seek(min(offset, size))
    return _names(file.read(min(length, DIRECTORY_BYTES)))


def _names(directory: bytes) -> list[str] | None:
    """None where it does not begin with an entry."""
    names, at = [], 0
    while len(directory) - at >= ENTRY.size:
        signature, *lengths = ENTRY.unpack_from(directory, at)
        if signature != b"PK\x01\x02":
            break
        name = directory[at + ENTRY.size : at + ENTRY.size + lengths[0]]
        names.append(name.decode("cp437"))
        at += ENTRY.size + sum(lengths)
    return names or None
