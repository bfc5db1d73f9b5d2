"""Where a text may be cut: at a meaning if there is one in reach, and never inside a character as people see it."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import regex  # type: ignore[import-untyped]
from semantic_text_splitter import MarkdownSplitter, TextSplitter

# One user-perceived character (extended grapheme cluster): "\r\n", "é" of two code points, a flag, an emoji family.
CHARACTER = regex.compile(r"\X")

# The splitter looks at all that is left of a long word, part after part: 5 MB without a space (an image in base64)
# took 114 s. It gets the text in blocks of so many parts.
BLOCK_PARTS = 100


def cut(text: str, *, max_characters: int, markdown: bool) -> list[str]:
    """Pieces that give `text` back when joined; none is blank unless all of `text` is.

    Without the white space at its ends a piece has at most `max_characters` code points; only one character
    that alone is longer (a letter under forty accents) makes a longer piece.
    """
    starts = _between_characters(text, _meanings(text, max_characters=max_characters, markdown=markdown))
    fitting = [
        start
        for begin, end in _spans(text, starts)
        for start in _fitting(text, begin, end, max_characters=max_characters)
    ]
    # White space alone is no part to send to a model: it goes with the piece before it, at the start with the next.
    visible = [start for start, end in _spans(text, fitting) if text[start:end].strip()]
    return [text[start:end] for start, end in _spans(text, [0, *visible[1:]])]


def _meanings(text: str, *, max_characters: int, markdown: bool) -> Iterator[int]:
    """Where the splitter would cut. It goes through `text` block by block."""
    # Untrimmed, so that nothing is lost between two pieces.
    splitter = (MarkdownSplitter if markdown else TextSplitter)(max_characters, trim=False)
    begin = 0
    while begin < len(text):
        end = _block_end(text, begin, begin + BLOCK_PARTS * max_characters)
        yield from (begin + start for start, _ in splitter.chunk_indices(text[begin:end]))
        begin = end


def _block_end(text: str, begin: int, limit: int) -> int:
    if limit >= len(text):
        return len(text)
    breaks = (text.rfind(mark, begin, limit) + len(mark) for mark in ("\n\n", "\n", " ") if mark in text[begin:limit])
    return next(breaks, limit)


def _spans(text: str, starts: list[int]) -> Iterable[tuple[int, int]]:
    return pairwise([*starts, len(text)])


def _between_characters(text: str, positions: Iterable[int]) -> list[int]:
    """`positions`, each moved back to the start of its character; 0 first.

    The splitter cuts inside a character that is longer than its limit, and Markdown's elements know no characters.
    """
    starts, beyond = [0], 1
    for position in positions:
        if position >= beyond:
            start, beyond = _character_at(text, position, known=starts[-1])
            starts.append(start)
    return starts


def _character_at(text: str, position: int, *, known: int) -> tuple[int, int]:
    """Start of the character that holds `position`, and an end that is not beyond it. Counts from the start `known`."""
    around = text[position - 1 : position + 1]
    if not around.isascii() or around == "\r\n":
        for character in CHARACTER.finditer(text, known):
            if character.end() > position:
                return int(character.start()), int(character.end())
    return position, position + 1


def _fitting(text: str, begin: int, end: int, *, max_characters: int) -> Iterator[int]:
    """Starts of pieces of `text[begin:end]`: one, or several where a moved cut has made it too long."""
    yield begin
    if end - begin > max_characters:
        start = begin
        for character in CHARACTER.finditer(text, begin, end):
            if character.end() - start > max_characters and character.start() > start:
                start = character.start()
                yield start
