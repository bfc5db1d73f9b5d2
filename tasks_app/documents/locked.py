"""A Word document with a password: an OLE container in which the DOCX lies encrypted. It is opened in memory."""

import struct
from io import BytesIO
from pathlib import Path
from typing import IO
from xml.parsers.expat import ExpatError

from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError
from msoffcrypto.format.ooxml import OOXMLFile

from .docx import read_file
from .errors import DamagedWord, NotWord, PasswordNeeded
from .limits import ReadLimits
from .pages import Extracted
from .ranges import Ranges

SEEMS = "an old Office document, or one that is protected in a way that no password opens"
# How often the password is hashed is up to the file. Office does it 100,000 times; more than this is not allowed.
MAX_HASHES = 10_000_000
DAMAGE = (
    *(DecryptionError, ParseError, ExpatError, struct.error),
    *(OSError, LookupError, ValueError, TypeError, AttributeError),
)


def read(path: Path, limits: ReadLimits, ranges: Ranges, password: str) -> Extracted:
    """Raises PasswordNeeded, NotWord, DamagedWord and what the reader of DOCX does."""
    with path.open("rb") as file:
        opened = _opened(file, password)
    return read_file(opened, limits, ranges)


def _opened(file: IO[bytes], password: str) -> BytesIO:
    opened = BytesIO()
    try:
        office = OOXMLFile(file)
        if not password:
            raise PasswordNeeded
        if office.type == "agile" and office.info["spinValue"] > MAX_HASHES:
            raise DamagedWord
        _unlock(office, password)
        office.decrypt(opened)
    except FileFormatError as error:
        raise NotWord(SEEMS) from error
    except DAMAGE as error:
        raise DamagedWord from error
    return opened


def _unlock(office: OOXMLFile, password: str) -> None:
    try:
        office.load_key(password=password, verify_password=True)
    except InvalidKeyError as error:
        raise PasswordNeeded(wrong=True) from error
