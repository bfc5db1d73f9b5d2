"""The archive that a Word document is: its parts, unpacked one by one and never more than is allowed."""

import posixpath
import zlib
from functools import cache
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lxml import etree

from ..errors import DamagedWord, NotWord, UnpacksTooLarge
from ..parsing import refuse_out_of_memory
from .names import STRICT

MAX_ENTRIES = 20_000
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
OTHERS = {"xl": "an Excel workbook", "ppt": "a PowerPoint presentation"}
ENCRYPTED = 0x1
DAMAGE = (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Package:
    """Not thread-safe. `main`: the name of the part with the text. Pictures and the like are never unpacked."""

    def __init__(self, file: Path | IO[bytes], *, limit: int) -> None:
        """`limit`: bytes that the parts which are read may have in all. Raises NotWord and DamagedWord."""
        self._limit = self._left = limit
        try:
            self._archive = ZipFile(file)
        except FileNotFoundError:
            raise
        except DAMAGE as error:
            raise DamagedWord from error
        if len(self._archive.infolist()) > MAX_ENTRIES:
            raise NotWord("an archive of very many files")
        self._entries = {entry.filename: entry for entry in self._archive.infolist()}
        self.related = cache(self._related)
        self.main = self._main()

    def __enter__(self) -> "Package":
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    @property
    def seems(self) -> str:
        """What it is, if it is no Word document; for people."""
        folders = {name.partition("/")[0] for name in self._entries}
        return next((words for folder, words in OTHERS.items() if folder in folders), "an archive of other files")

    def part(self, name: str) -> etree._Element | None:
        """The root of an XML part; None without such a part. Raises DamagedWord, NotWord and UnpacksTooLarge."""
        entry = self._entries.get(name)
        return None if entry is None else _parse(self._unpack(entry))

    def _related(self, name: str = "") -> dict[str, tuple[str, str]]:
        """What a part, or the package, refers to by id: the last word of the relationship's type, and a name or URL."""
        folder, last = posixpath.split(name)
        root = self.part(posixpath.join(folder, "_rels", f"{last}.rels"))
        found = {}
        for each in [] if root is None else root.iter(RELATIONSHIP):
            target = each.get("Target", "")
            if each.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
            found[each.get("Id", "")] = (each.get("Type", "").rsplit("/", 1)[-1], target)
        return found

    def named(self, kind: str, name: str = "") -> etree._Element | None:
        """The first part that `name`, or the package, refers to as `kind`: "styles", "footnotes"."""
        targets = (target for each, target in self.related(name).values() if each == kind)
        return self.part(next(targets, ""))

    def _main(self) -> str:
        for kind, target in self.related().values():
            if kind == "officeDocument" and target in self._entries:
                return target
        raise NotWord(self.seems)

    def _unpack(self, entry: ZipInfo) -> bytes:
        if entry.flag_bits & ENCRYPTED or entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise NotWord("an archive with a password, or packed in a way that Word does not use")
        # What the entry says of its size may be a lie: the reading is bounded as well.
        if entry.file_size > self._left:
            raise UnpacksTooLarge(limit=self._limit)
        try:
            with self._archive.open(entry) as file:
                data = file.read(self._left + 1)
        except DAMAGE as error:
            raise DamagedWord from error
        self._left -= len(data)
        if self._left < 0:
            raise UnpacksTooLarge(limit=self._limit)
        return data


def _parse(data: bytes) -> etree._Element:
    for strict, usual in STRICT.items():
        data = data.replace(strict, usual)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError as error:
        refuse_out_of_memory(error)
        raise DamagedWord from error
    # Word writes none, and with one an XML file of a few bytes unpacks to gigabytes.
    if root.getroottree().docinfo.internalDTD is not None:
        raise NotWord("an XML document with entities of its own, which Word never writes")
    return root
