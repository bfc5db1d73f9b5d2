"""Where a character as people see it begins and ends, and where a word does."""

import regex  # type: ignore[import-untyped]

# One user-perceived character (extended grapheme cluster): "\r\n", "é" of two code points, a flag, an emoji family.
CHARACTER = regex.compile(r"\X")
# Unicode's borders of words: none in "can't" or "3.14", one before each Chinese character.
WORD_BORDER = regex.compile(r"\b", regex.WORD)
LAST_WORD_BORDER = regex.compile(r"(?r)\b", regex.WORD)
# Most characters have fewer code points.
REACH = 64


def character_around(text: str, position: int, *, known: int) -> tuple[int, int]:
    """Start and end of the character that holds `position`, where `known` before it is the start of a character.

    Where `position` is itself such a start, the end may be told too low.
    """
    around = text[position - 1 : position + 1]
    if around.isascii() and around != "\r\n":
        return position, position + 1
    begin = known
    while (end := character_end(text, begin)) <= position:
        begin = end
    return begin, end


def character_end(text: str, begin: int) -> int:
    """End of the character that begins at `begin`, which is before the end of `text`.

    Hazard: for a flag the expression counts all flags before it, up to the beginning of what it is given.
    """
    reach = REACH
    while True:
        found = CHARACTER.match(text[begin : begin + reach])
        if found.end() < reach or begin + reach >= len(text):
            return begin + int(found.end())
        reach *= 8


def word_around(text: str, position: int, *, begin: int, end: int) -> tuple[int, int] | None:
    """Start and end, within `begin` and `end`, of the word that `position` is inside of; None where it is in none."""
    if not (text[position - 1].isalnum() and text[position].isalnum()) or WORD_BORDER.match(text, position):
        return None
    # The end of what is searched counts as a border.
    backwards = LAST_WORD_BORDER.finditer(text, begin, min(end, position + 4))
    before = next((border.start() for border in backwards if border.start() < position), begin)
    after = WORD_BORDER.search(text, position, end)
    return before, (after.start() if after else end)
