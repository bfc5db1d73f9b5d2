"""UTF-16 and UTF-32, with a byte order mark and without: by the beginning of a file."""

import codecs
import re
from functools import cache

from .eastasian import common_characters

# UTF-32 first: its little-endian mark begins with that of UTF-16.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

HEAD_BYTES = 4096
ENOUGH = 0.75

# Where no control tells: so many bytes, and so few of them letters of ASCII, are asked for.
UNSURE_BYTES = 12
UNSURE_LETTERS = 0.7
LETTERS = re.compile(rb"[A-Za-z ]")

# In a text, only UTF-16 and UTF-32 have these bytes.
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
# What most texts are written with, beside the characters of East Asia: alphabets, punctuation, emoji.
ALPHABETS = re.compile(
    "[\t\n\f\r\x20-\x7e\xa0-\u024f\u0300-\u06ff\u0900-\u0eff\u10a0-\u10ff\u1e00-\u206f\u20a0-\u20bf\u2190-\u21ff"
    "\u2600-\u26ff\u3000-\u30ff\ufe0f\uff01-\uff5e\U00010300-\U0003ffff\U000e0100-\U000e01ef\ufeff]"
)


def encoding_by_mark(data: bytes) -> str | None:
    """The encoding that the byte order mark at the beginning of `data` names, if there is one."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)


def wide_encoding(data: bytes, *, sure: bool = True) -> str | None:
    """ "utf-16-le", "utf-16-be", or None.

    `sure`: only where bytes stand that no other encoding has. Read two by two, “Bush hid the facts” is Chinese. Else
    the others must have been looked for before.
    """
    head = data[:HEAD_BYTES]
    if len(head) % 2 or not (CONTROLS.search(head) if sure else _could_be(head)):
        return None
    little, big = _plausibility(head, "utf-16-le"), _plausibility(head, "utf-16-be")
    if max(little, big) < ENOUGH:
        return None
    return "utf-16-le" if little >= big else "utf-16-be"


def _could_be(head: bytes) -> bool:
    return len(head) >= UNSURE_BYTES and len(LETTERS.findall(head)) < UNSURE_LETTERS * len(head)


def _plausibility(head: bytes, encoding: str) -> float:
    """The share of the characters that are common ones: about a quarter where the bytes are something else."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return 0
    if not text or "\0" in text:
        return 0
    rest = ALPHABETS.sub("", text)
    return 1 - sum(character not in _eastasian() for character in rest) / len(text)


@cache
def _eastasian() -> frozenset[str]:
    return frozenset().union(*map(common_characters, ("cp949", "gb18030", "cp932", "big5")))
