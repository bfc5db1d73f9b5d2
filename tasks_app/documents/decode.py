"""The characters of a text file: which encoding its bytes are in, by content.

In this order: a byte order mark; UTF-16 without one, where bytes prove it; UTF-8; what the file itself declares (HTML);
an encoding of East Asia; UTF-16 that is only likely; one of a byte a character. It costs the same for 50 MB as for
100 KB: an excerpt answers.
"""

import codecs
import re

from charset_normalizer import from_bytes

from .eastasian import eastasian
from .errors import UnknownEncoding
from .excerpt import Excerpt, excerpt_of
from .onebyte import one_byte
from .wide import encoding_by_mark, wide_encoding

# For each broken character an encoding must yield so many good ones beyond ASCII.
GOOD_FOR_ONE_BAD = 5

# Looked for by ourselves; charset-normalizer sees them in any bytes.
WIDE = ["utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be", "utf_7"]

# What it is called in pages, and what browsers take it for.
DECLARED = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
DECLARABLE = re.compile(
    r"(?:windows-|cp\d|iso-?8859|latin|koi8|us-ascii|big5|euc|gb|shift|sjis|x-sjis|ks_c|tis|mac)", re.I
)


def decode(data: bytes, *, declared: str = "") -> str:
    """`declared`: the encoding that the file itself names. Single broken bytes become U+FFFD.

    Raises UnknownEncoding.
    """
    return data.decode(encoding_of(data, declared=declared), "replace")


def encoding_of(data: bytes, *, declared: str = "") -> str:
    """A name that Python knows. Raises UnknownEncoding."""
    if known := encoding_by_mark(data) or wide_encoding(data):
        return known
    excerpt = excerpt_of(data)
    if excerpt is None or _fits(excerpt, "utf-8"):
        return "utf-8"
    return _declared(excerpt, declared) or eastasian(excerpt) or wide_encoding(data, sure=False) or _one_byte(excerpt)


def _fits(excerpt: Excerpt, encoding: str) -> bool:
    """Whether few enough of its characters are broken in this encoding."""
    text = excerpt.text(encoding)
    beyond = sum(character > "\x7f" for character in text)
    bad = text.count("\ufffd") - excerpt.data.count("\ufffd".encode())
    return (beyond - bad) >= bad * GOOD_FOR_ONE_BAD


def _declared(excerpt: Excerpt, name: str) -> str | None:
    if not DECLARABLE.match(name):
        return None
    try:
        known = codecs.lookup(name).name
        known = DECLARED.get(known, known)
        return known if _fits(excerpt, known) else None
    except LookupError:
        return None


def _one_byte(excerpt: Excerpt) -> str:
    if encoding := one_byte(excerpt):
        return encoding
    if guess := from_bytes(excerpt.data, cp_exclusion=WIDE).best():
        return guess.encoding
    if _fits(excerpt, "cp1252"):
        return "cp1252"
    raise UnknownEncoding
