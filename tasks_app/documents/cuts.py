"""Where a text may be cut: at a meaning if there is one in reach, and never inside a character as people see it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from .borders import character_around, character_end, word_around

type Size = Callable[[str], int]

# Of the limit: so much is aimed at. A piece that turns out too large costs a further question.
AIM = 0.97
# Characters for each token of the limit: of a longer text nobody expects that it fits.
HOPELESS = 8
# Of what is aimed at, as much text is shown to the splitter. All that is left would take it minutes: 5 MB without a
# space (an image in base64) took 114 s. What begins in the first part and does not end in the third fits nowhere.
WINDOW = 3
# A word of more characters than this for each token of the limit is too long, and nobody is asked.
LONGEST_TOKEN = 100


def cut(text: str, *, limit: int, size: Size, markdown: bool) -> list[str]:
    """Pieces that give `text` back when joined; none is blank unless all of `text` is.

    `size(text)`: tokens, never more than bytes of UTF-8. It may ask an endpoint, so it is asked little: a little more
    than once a piece. Without the white space at its ends a piece has at most `limit` tokens; only one character that
    alone is larger (a letter under forty accents) makes a larger piece. Inside a word is cut only where the word is.
    """
    starts = list(_Cutter(text, limit=limit, size=size, markdown=markdown).starts())
    # White space alone is no part to send to a model: it goes with the piece before it, at the start with the next.
    visible = [start for start, end in pairwise([*starts, len(text)]) if text[start:end].strip()]
    return [text[start:end] for start, end in pairwise([0, *visible[1:], len(text)])]


@dataclass(slots=True)
class _Rate:
    """How many characters made how many tokens in the pieces seen lately."""

    characters: float
    tokens: float

    def saw(self, characters: int, tokens: int) -> None:
        self.characters = self.characters / 2 + characters
        self.tokens = self.tokens / 2 + tokens

    def room(self, tokens: float) -> int:
        """How many characters are about `tokens`. A character has four bytes at most, and so no more tokens."""
        return max(1, int(tokens / 4), int(tokens * self.characters / max(self.tokens, 1)))


class _Cutter:
    """Goes through a text piece by piece; how far the next one reaches, it learns from those before."""

    def __init__(self, text: str, *, limit: int, size: Size, markdown: bool) -> None:
        self.text = text
        self.limit = limit
        self.size = lru_cache(maxsize=4)(size)
        self.splitter = MarkdownSplitter if markdown else TextSplitter
        self.rate = _Rate(0, 0)
        # Up to here it is all one word, and that is too large.
        self.long_until = 0

    def starts(self) -> Iterator[int]:
        yield 0
        visible = self.text.strip()
        sample = visible[: self.limit * HOPELESS]
        if len(sample.encode()) <= self.limit or (self._ask(sample) <= self.limit and sample == visible):
            return
        end = self._end(0)
        while end < len(self.text):
            yield end
            end = self._end(end)

    def _ask(self, text: str) -> int:
        tokens = self.size(text)
        self.rate.saw(len(text), tokens)
        return tokens

    def _fits(self, begin: int, end: int) -> bool:
        piece = self.text[begin:end].strip()
        # What has no more bytes than the limit fits anyway. A piece that is short because of its room, and not of its
        # meaning, is asked about all the same, or the room would stay small.
        if len(piece) * 2 <= self.rate.room(self.limit) and len(piece.encode()) <= self.limit:
            return True
        return self._ask(piece) <= self.limit

    def _end(self, begin: int) -> int:
        """Of the piece that begins at `begin`."""
        left = len(self.text) - begin
        if left <= self.rate.room(self.limit * 1.2) and self._fits(begin, len(self.text)):
            return len(self.text)
        room = self.rate.room(self.limit * AIM)
        while True:
            end = self._meaning(begin, room)
            if self._fits(begin, end) or end <= character_end(self.text, begin):
                return end
            room = max(1, min(end - begin - 1, self.rate.room(self.limit * AIM), int((end - begin) * AIM)))

    def _meaning(self, begin: int, room: int) -> int:
        """The best end of a piece of `room` characters at most; more where one character or fitting word has more."""
        window = self.text[begin : begin + room * WINDOW]
        # Untrimmed, so that nothing is lost between two pieces.
        pieces = self.splitter(room, trim=False).chunk_indices(window)
        if len(pieces) == 1:
            return begin + len(window)
        # It cuts inside a character that is longer than its room, and Markdown's elements know no characters.
        start, beyond = character_around(self.text, begin + pieces[1][0], known=begin)
        return self._whole_word(begin, start) if start > begin else beyond

    def _whole_word(self, begin: int, end: int) -> int:
        """`end`, moved to an end of the word that it is in, unless that alone is too large."""
        reach = min(len(self.text), begin + self.limit * LONGEST_TOKEN)
        word = None if end < self.long_until else word_around(self.text, end, begin=begin, end=reach)
        if word is None:
            return end
        if word[0] > begin:
            return word[0]
        ends = word[1] < reach or reach == len(self.text)
        if ends and self._fits(begin, word[1]):
            return word[1]
        self.long_until = word[1]
        return end
