"""Where a text may be cut: at a meaning if there is one in reach, and never inside a character as people see it."""

from collections.abc import Iterator
from itertools import pairwise

import regex  # type: ignore[import-untyped]
from semantic_text_splitter import MarkdownSplitter, TextSplitter

# One user-perceived character (extended grapheme cluster): "\r\n", "é" of two code points, a flag, an emoji family.
CHARACTER = regex.compile(r"\X")


def cut(text: str, *, max_characters: int, markdown: bool) -> list[str]:
    """Pieces that give `text` back when joined; none is blank unless all of `text` is.

    Without the white space at its ends a piece has at most `max_characters` code points; only one character
    that alone is longer (a letter under forty accents) makes a longer piece.
    """
    starts = [0]
    for start in _splitter(max_characters, markdown).chunk_indices(text)[1:]:
        whole = _character_start(text, start[0], known=starts[-1])
        if whole > starts[-1]:
            starts.append(whole)
    pieces = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return _without_blanks([part for piece in pieces for part in _fitting(piece, max_characters)])


def _splitter(max_characters: int, markdown: bool) -> TextSplitter | MarkdownSplitter:
    # Untrimmed, so that nothing is lost between two pieces.
    return (MarkdownSplitter if markdown else TextSplitter)(max_characters, trim=False)


def _character_start(text: str, position: int, *, known: int) -> int:
    """The start of the character that holds `position`. `known`: a start before it, from which to count.

    The splitter cuts inside a character that is longer than its limit, and Markdown's elements know no characters.
    """
    around = text[position - 1 : position + 1]
    if around.isascii() and around != "\r\n":
        return position
    for character in CHARACTER.finditer(text, known):
        if character.end() > position:
            return int(character.start())
    return position


def _fitting(piece: str, max_characters: int) -> Iterator[str]:
    """`piece`, cut between characters where a moved cut has made it too long."""
    if len(piece) <= max_characters:
        yield piece
        return
    start = end = 0
    for character in CHARACTER.finditer(piece):
        if character.end() - start > max_characters and end > start:
            yield piece[start:end]
            start = end
        end = character.end()
    yield piece[start:]


def _without_blanks(pieces: list[str]) -> list[str]:
    """White space alone is no part to send to a model: it goes with the piece before it, at the start with the next."""
    joined: list[str] = []
    for piece in pieces:
        if joined and not (piece.strip() and joined[-1].strip()):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined
