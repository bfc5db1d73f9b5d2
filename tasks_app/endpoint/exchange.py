"""What goes to the model endpoint and what comes back."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One chat completion. Messages are `{"role": ..., "content": ...}`; `max_tokens` bounds the answer."""

    messages: tuple[dict[str, str], ...]
    max_tokens: int
    temperature: float = 0.0

    def canonical(self) -> dict[str, Any]:
        """The same request always gives an equal value, and any other request a different one."""
        return {
            "max_tokens": self.max_tokens,
            "messages": [dict(sorted(message.items())) for message in self.messages],
            "temperature": float(self.temperature),
        }


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A whole answer. `finish_reason` "length" says that the endpoint cut it at `max_tokens`."""

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        return cls(**saved)


def content_key(request: ModelRequest, *, endpoint: str, model_name: str) -> str:
    """64 hexadecimal digits that name this very request to this very model."""
    parts = json.dumps([endpoint, model_name, request.canonical()], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(parts.encode()).hexdigest()
