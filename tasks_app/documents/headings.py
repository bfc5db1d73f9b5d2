"""Where the headings of a Markdown text stand, code fences left out."""

import re
from collections.abc import Iterator

from tasks_app.text import one_line, shorten

MAX_CHARACTERS = 200

MARKS = re.compile(
    r"""
    ^[ ]{0,3}(?:
        (?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>.*)
      | \#{1,6}[ \t]+(?P<words>\S.*)$
      | (?P<underlined>[^\W_].*)\r?\n[ ]{0,3}(?:=+|--+)[ \t\r]*$
    )""",
    re.MULTILINE | re.VERBOSE,
)


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Position and words of each heading, in order."""
    fence = ""
    for mark in MARKS.finditer(text):
        found = mark["fence"]
        if found:
            fence = _inside(fence, found, mark["info"])
        elif not fence:
            yield mark.start(), shorten(one_line(_bare(mark["words"]) or mark["underlined"]), MAX_CHARACTERS)


def _bare(words: str | None) -> str:
    """Without the signs that may close a heading. By hand: an expression backtracks over long white space for hours."""
    text = (words or "").rstrip(" \t\r")
    rest = text.rstrip("#")
    return rest.rstrip(" \t") if rest.endswith((" ", "\t")) else text


def _inside(fence: str, found: str, info: str) -> str:
    """The fence that is open after `found`: one of the same sign, as long and with nothing behind it, closes."""
    if not fence:
        return found
    closes = found[0] == fence[0] and len(found) >= len(fence) and not info.strip()
    return "" if closes else fence
