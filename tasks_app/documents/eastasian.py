"""Which encoding of East Asia some bytes are in, if in one: by how common the characters are that each would make.

Each of these standards keeps the characters that people use (its first level) in a block of their own. Bytes read in
the wrong encoding fall beside that block, or between ASCII letters, one by one.
"""

import re
from collections.abc import Iterable
from functools import cache

from .excerpt import Excerpt

ENOUGH = 0.5
RUN = re.compile("[^\x00-\x7f]+")
# All of these standards hold these besides.
SHARED = re.compile("[\xb7\u0391-\u0451\u2010-\u203b\u2150-\u22ff\u2460-\u25ff\u3000-\u303f\uff01-\uff5e\uffe0-\uffe6]")

TRAILS_94 = range(0xA1, 0xFF)
TRAILS_BIG5 = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]

# Encoding, the standard that names its common characters, and where that has them. Of two that fit alike the first
# counts.
CANDIDATES: dict[str, tuple[str, Iterable[int], Iterable[int]]] = {
    "gb18030": ("gb2312", range(0xB0, 0xD8), TRAILS_94),
    "cp932": ("euc_jp", [0xA4, 0xA5, *range(0xB0, 0xD0)], TRAILS_94),
    "euc_jp": ("euc_jp", [0xA4, 0xA5, *range(0xB0, 0xD0)], TRAILS_94),
    "big5": ("big5", range(0xA4, 0xC7), TRAILS_BIG5),
    "cp949": ("euc_kr", range(0xB0, 0xC9), TRAILS_94),
}
# The most frequent of each: Hangul lies where Chinese has the first half of its common characters.
FREQUENT = {
    "gb18030": "的一是不了在人有我他这中大来上个国和也子时道说出会要于你对生能而那得着下自之年过发后作里用行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实为以与我们包含改",
    "cp949": "이다의는을가에고하지한로기사도자은를리서인시있수아대으나어정그해일부보들적스전게구것주라니세요했습와과만",
}


def eastasian(excerpt: Excerpt) -> str | None:
    """The name of the encoding, None where none fits."""
    best = max(CANDIDATES, key=lambda encoding: _score(excerpt, encoding))
    return best if _score(excerpt, best) > ENOUGH else None


def _score(excerpt: Excerpt, encoding: str) -> float:
    """1 for common characters only, more for frequent ones, less for each that is none; SHARED ones say nothing."""
    runs = RUN.findall(excerpt.text(encoding))
    alone = sum(len(run) == 1 for run in runs)
    signs = SHARED.sub("", "".join(run for run in runs if len(run) > 1))
    if not signs:
        return 0
    common = sum(map(common_characters(encoding).__contains__, signs))
    frequent = sum(map(FREQUENT.get(encoding, "").__contains__, signs))
    rare = len(signs) - common + alone
    return (common + frequent / 2 - 2 * rare) / (common + rare)


@cache
def common_characters(encoding: str) -> frozenset[str]:
    """Those of its first level. `encoding`: a key of CANDIDATES."""
    standard, leads, trails = CANDIDATES[encoding]
    pairs = (bytes((lead, trail)) for lead in leads for trail in trails)
    return frozenset(pair.decode(standard, "ignore") for pair in pairs) - {""} | {"ー", "々"}
