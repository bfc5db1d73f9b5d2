"""The answer as it comes in, piece by piece."""

from openai.types.chat import ChatCompletionChunk

from tasks_app.text import clean

from .errors import ContentFiltered, EmptyAnswer, Nonsense, StreamBroken
from .exchange import ModelAnswer

MOST_TOKENS = 2**31 - 1


class Draft:
    """An answer that is not whole yet. `finish_reason` is empty until the endpoint says that it has finished."""

    def __init__(self) -> None:
        self.finish_reason = ""
        self._pieces: list[str] = []
        self._choices = 0
        self._prompt_tokens = 0
        self._completion_tokens = 0

    def add(self, chunk: ChatCompletionChunk) -> None:
        """Raises AttributeError, TypeError or ValueError when the chunk is none: the SDK checks no shapes."""
        for choice in chunk.choices or ():
            self._choices += 1
            self._pieces.append(_text(choice.delta.content))
            self.finish_reason = _text(choice.finish_reason) or self.finish_reason
        if chunk.usage is not None:
            self._prompt_tokens = _tokens(getattr(chunk.usage, "prompt_tokens", 0))
            self._completion_tokens = _tokens(getattr(chunk.usage, "completion_tokens", 0))

    @property
    def has_text(self) -> bool:
        """Whether some of it has come."""
        return any(self._pieces)

    def answer(self) -> ModelAnswer:
        """The whole answer, or the error that says why there is none."""
        # Joined before it is cleaned: the halves of a surrogate pair may have come in two chunks.
        text = clean("".join(self._pieces))
        if not self._choices:
            raise Nonsense()
        if not self.finish_reason:
            raise StreamBroken()
        if self.finish_reason == "content_filter":
            raise ContentFiltered()
        if not text.strip():
            raise EmptyAnswer(self.finish_reason)
        return ModelAnswer(text, self.finish_reason, self._prompt_tokens, self._completion_tokens)


def _tokens(value: object) -> int:
    """As much as a column holds; no figure is worth an answer that is paid."""
    return min(max(value, 0), MOST_TOKENS) if isinstance(value, int) else 0


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(f"text was expected, {type(value).__name__} came")
