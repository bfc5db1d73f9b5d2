"""One request to the endpoint about some text, made smaller where the text turns out to be too long for the model."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from tasks_app.documents.cuts import cut
from tasks_app.documents.sizes import estimated_tokens
from tasks_app.endpoint import ModelAnswer, ModelRequest
from tasks_app.work.context import Context

SYSTEM = "You are a careful assistant. You answer about the text you are given, and only from that text."
BETWEEN = "\n\n"
# Smaller than this, it is not the text that is too long.
LEAST_TOKENS = 50
# A little more than that: good places to cut are seldom exactly in the middle.
HALF = 0.55


@dataclass(frozen=True, slots=True)
class Asked:
    """`texts`: one, or several where the request had to be made smaller. `truncated`: one was cut off."""

    texts: list[str]
    truncated: bool

    @property
    def text(self) -> str:
        return BETWEEN.join(self.texts)


def ask(context: Context, request: str, texts: Sequence[str]) -> Asked:
    """The answer about `texts` together. Raises what the endpoint's client does.

    Where they are too long for the model, about halves are asked about, and halves of these: still one step.
    """
    answers = _answers(context, request, list(texts))
    return Asked(
        [answer.text.strip() for answer in answers],
        any(answer.finish_reason == "length" for answer in answers),
    )


def _answers(context: Context, request: str, texts: list[str]) -> list[ModelAnswer]:
    # Here, so that the web and the worker that watches do not load the SDK.
    from tasks_app.endpoint import ContextTooLong, complete

    try:
        return [complete(context, _model_request(request, texts))]
    except ContextTooLong:
        halves = _halves(texts)
        if len(halves) < 2:
            raise
        return [answer for half in halves for answer in _answers(context, request, half)]


def _model_request(request: str, texts: list[str]) -> ModelRequest:
    text = BETWEEN.join(text.strip() for text in texts)
    return ModelRequest(
        messages=({"role": "system", "content": SYSTEM}, {"role": "user", "content": f"{request}{BETWEEN}{text}"}),
        max_tokens=settings.LONGHAUL_MODEL_MAX_OUTPUT_TOKENS,
    )


def _halves(texts: list[str]) -> list[list[str]]:
    """Several texts are parted between them, one at a good place within; as it was where it is too small for that."""
    if len(texts) > 1:
        middle = len(texts) // 2
        return [texts[:middle], texts[middle:]]
    half = round(estimated_tokens(texts[0]) * HALF)
    if half < LEAST_TOKENS:
        return [texts]
    return [[piece] for piece in cut(texts[0], limit=half, size=estimated_tokens, markdown=False)]
