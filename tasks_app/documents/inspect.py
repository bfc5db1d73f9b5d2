"""The look at an uploaded file when it is submitted: cheap, nothing is unpacked."""

import hashlib
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.conf import settings

from .archive import entry_names
from .errors import EmptyFile, FileTooLarge, UnsupportedFile
from .formats import (
    ACCEPTED,
    HEAD_BYTES,
    LOCKED_OFFICE,
    OLE_BEGINS,
    OLE_LOCKED,
    TAIL_BYTES,
    ZIP_BEGINS,
    Sample,
    recognise,
)
from .names import clean_name

READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class FileFacts:
    """`media_type`: a key of ACCEPTED, or LOCKED_OFFICE; `name`: cleaned; `size`: bytes; `sha256`: 64 hex digits."""

    media_type: str
    name: str
    size: int
    sha256: str


def inspect(file: BinaryIO, *, name: str) -> FileFacts:
    """Read `file` once from its beginning and leave it there again.

    Raises EmptyFile, FileTooLarge (read no further than the limit) and UnsupportedFile.
    """
    name = clean_name(name)
    size, sha256, sample = _read(file, name=name)
    if not size:
        raise EmptyFile(name)
    found = recognise(_with_container(sample, file))
    if found.media_type not in {*ACCEPTED, LOCKED_OFFICE}:
        raise UnsupportedFile(name, seems=found.words, accepted=list(ACCEPTED.values()), advice=found.advice)
    return FileFacts(media_type=found.media_type, name=name, size=size, sha256=sha256)


def _with_container(sample: Sample, file: BinaryIO) -> Sample:
    """With what a ZIP archive or an OLE container tells of what is in it."""
    if sample.head.startswith(ZIP_BEGINS):
        sample = replace(sample, entries=entry_names(file))
    elif sample.head.startswith(OLE_BEGINS):
        sample = replace(sample, locked=_holds(file, OLE_LOCKED))
    file.seek(0)
    return sample


def _holds(file: BinaryIO, wanted: bytes) -> bool:
    file.seek(0)
    last = b""
    while block := file.read(READ_BYTES):
        if wanted in last + block:
            return True
        last = block[-len(wanted) :]
    return False


def _read(file: BinaryIO, *, name: str) -> tuple[int, str, Sample]:
    limit = settings.LONGHAUL_MAX_UPLOAD_BYTES
    digest = hashlib.sha256()
    size, head, tail, has_nul = 0, b"", b"", False
    file.seek(0)
    while block := file.read(READ_BYTES):
        size += len(block)
        if size > limit:
            raise FileTooLarge(name, limit=limit)
        digest.update(block)
        head += block[: HEAD_BYTES - len(head)]
        tail = (tail + block)[-TAIL_BYTES:]
        has_nul = has_nul or b"\0" in block
    file.seek(0)
    return size, digest.hexdigest(), Sample(head=head, tail=tail, has_nul=has_nul, name=name)
