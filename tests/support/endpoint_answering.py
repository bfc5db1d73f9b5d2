"""Carries a behaviour out on the connection of one request."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from .endpoint_behaviours import Behaviour
from .endpoint_wire import Wire


class Answering:
    """One request being answered: `answer` is the right text for it."""

    def __init__(self, wire: Wire, *, answer: str, body: dict[str, Any], default: Behaviour) -> None:
        self.wire = wire
        self.answer = answer
        self.body = body
        self.default = default

    def perform(self, behaviour: Behaviour) -> None:
        arguments = {key: value for key, value in behaviour.items() if key != "name"}
        method: Callable[..., None] = getattr(self, f"do_{behaviour['name']}")
        method(**arguments)

    def do_ok(self, latency: float | None, pieces: int | None) -> None:
        latency = self.default["latency"] if latency is None else latency
        parts = list(split(self.answer, self.default["pieces"] if pieces is None else pieces))
        if not self.body.get("stream"):
            self.wire.pause(latency)
            return self.wire.whole(200, json.dumps(self.completion()))
        self.wire.begin()
        for part in parts:
            self.wire.pause(latency / len(parts))
            self.wire.send(self.delta(part))
        return self.finish("stop")

    def do_text(self, string: str, piece_bytes: int | None, finish: str) -> None:
        self.wire.begin()
        self.wire.send(self.delta(string), piece_bytes=piece_bytes)
        self.finish(finish)

    def do_status(self, code: int, body: Any, headers: dict[str, str]) -> None:
        body = {"error": {"message": f"scripted {code}", "type": "scripted"}} if body is None else body
        self.wire.whole(code, body if isinstance(body, str) else json.dumps(body), headers=headers)

    def do_hang_before_headers(self) -> None:
        self.wire.pause(None)

    def do_hang_after_headers(self) -> None:
        self.wire.begin()
        self.wire.pause(None)

    def do_trickle(self, what: str, every: float) -> None:
        self.wire.begin()
        while True:
            self.wire.send(": still here\n\n" if what == "comments" else self.delta("."))
            self.wire.pause(every)

    def do_drop(self) -> None:
        self.wire.reset()

    def do_garbage(self) -> None:
        self.wire.write(b"-ERR unknown command 'POST'\r\n\r\n")

    def do_empty_choices(self) -> None:
        self.wire.begin()
        self.wire.send(self.chunk([]))
        self.wire.send("data: [DONE]\n\n")
        self.wire.end()

    def do_null_content(self) -> None:
        self.wire.begin()
        self.wire.send(self.chunk([{"index": 0, "delta": {"content": None}, "finish_reason": None}]))
        self.finish("stop")

    def do_raw(self, content_type: str, body: str) -> None:
        self.wire.begin(content_type)
        self.wire.send(body)
        self.wire.end()

    def do_error_in_stream(self, error: dict[str, Any]) -> None:
        self.half()
        self.wire.send(event({"error": error}))
        self.wire.end()

    def do_close_half(self, how: str) -> None:
        self.half()
        if how == "reset":
            self.wire.reset()

    def do_no_finish_reason(self) -> None:
        self.half()
        self.wire.end()

    def do_cut_after_finish(self) -> None:
        self.wire.begin()
        self.wire.send(self.delta(self.answer))
        self.wire.send(self.chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}]))

    def do_finish_length(self, share: float) -> None:
        self.wire.begin()
        if share:
            self.wire.send(self.delta(self.answer[: max(1, int(len(self.answer) * share))]))
        self.finish("length")

    def do_content_filter(self) -> None:
        self.half()
        self.finish("content_filter")

    def half(self) -> None:
        self.wire.begin()
        self.wire.send(self.delta(self.answer[: len(self.answer) // 2]))

    def finish(self, reason: str) -> None:
        self.wire.send(self.chunk([{"index": 0, "delta": {}, "finish_reason": reason}]))
        if (self.body.get("stream_options") or {}).get("include_usage"):
            self.wire.send(self.chunk([], usage=self.usage()))
        self.wire.send("data: [DONE]\n\n")
        self.wire.end()

    def delta(self, content: str) -> str:
        return self.chunk([{"index": 0, "delta": {"content": content}, "finish_reason": None}])

    def chunk(self, choices: list[dict[str, Any]], **more: Any) -> str:
        return event(
            {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices, **more}
        )

    def completion(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.answer}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": choices,
            "usage": self.usage(),
        }

    def usage(self) -> dict[str, int]:
        prompt = sum(len(str(message.get("content", "")).split()) for message in self.body.get("messages", []))
        words = len(self.answer.split())
        return {"prompt_tokens": prompt, "completion_tokens": words, "total_tokens": prompt + words}


def event(data: dict[str, Any]) -> str:
    """One server-sent event. Lone surrogates are escaped, other characters stand as they are."""
    try:
        line = json.dumps(data, ensure_ascii=False)
        line.encode()
    except UnicodeEncodeError:
        line = json.dumps(data)
    return f"data: {line}\n\n"


def split(string: str, pieces: int) -> Iterator[str]:
    """`string` in at most `pieces` parts that are not empty."""
    size = max(1, -(-len(string) // max(1, pieces)))
    return (string[start : start + size] for start in range(0, len(string), size))
