"""What the scriptable endpoint can do to a request. A behaviour is plain data, so that it travels by HTTP.

`Answering.perform` carries it out.
"""

from typing import Any

Behaviour = dict[str, Any]


def ok(latency: float | None = None, pieces: int | None = None) -> Behaviour:
    """The right answer, in `pieces` chunks spread over `latency` seconds (else the endpoint's default)."""
    return {"name": "ok", "latency": latency, "pieces": pieces}


def text(string: str, *, piece_bytes: int | None = None, finish: str = "stop") -> Behaviour:
    """`string` as the answer, the stream cut into network pieces of `piece_bytes`, through characters too."""
    return {"name": "text", "string": string, "piece_bytes": piece_bytes, "finish": finish}


def status(code: int, body: Any = None, headers: dict[str, str] | None = None) -> Behaviour:
    """An HTTP status; `body` is sent as JSON, a string as it is, None as the usual error object."""
    return {"name": "status", "code": code, "body": body, "headers": headers or {}}


def hang_before_headers() -> Behaviour:
    return {"name": "hang_before_headers"}


def hang_after_headers() -> Behaviour:
    return {"name": "hang_after_headers"}


def trickle(what: str = "chunks", *, every: float = 0.05) -> Behaviour:
    """Without end: one small piece ("chunks" of text, or "comments") each `every` seconds."""
    return {"name": "trickle", "what": what, "every": every}


def drop() -> Behaviour:
    """The connection is reset before any answer."""
    return {"name": "drop"}


def garbage() -> Behaviour:
    """Bytes that are not HTTP."""
    return {"name": "garbage"}


def empty_choices() -> Behaviour:
    return {"name": "empty_choices"}


def null_content() -> Behaviour:
    return {"name": "null_content"}


def empty_text() -> Behaviour:
    return text("")


def html() -> Behaviour:
    return {"name": "raw", "content_type": "text/html", "body": "<html><body><h1>Welcome</h1></body></html>"}


def broken_json() -> Behaviour:
    return {"name": "raw", "content_type": "text/event-stream", "body": 'data: {"choices": [{"delta\n\n'}


def no_chunks() -> Behaviour:
    return {"name": "raw", "content_type": "text/event-stream", "body": ""}


def raw(body: str) -> Behaviour:
    """`body` as the whole event stream."""
    return {"name": "raw", "content_type": "text/event-stream", "body": body}


def error_in_stream(error: dict[str, Any] | None = None) -> Behaviour:
    """Half of the answer, then an error object."""
    return {"name": "error_in_stream", "error": error or {"message": "the engine stumbled", "type": "server_error"}}


def close_half(how: str = "cut") -> Behaviour:
    """Half of the answer, then the end of the connection: "cut" (chunked body without its end) or "reset"."""
    return {"name": "close_half", "how": how}


def no_finish_reason() -> Behaviour:
    return {"name": "no_finish_reason"}


def cut_after_finish() -> Behaviour:
    """The whole answer with its finish reason, then a chunked body without its end, and no usage."""
    return {"name": "cut_after_finish"}


def finish_length(share: float = 0.8) -> Behaviour:
    """Finish reason "length" after `share` of the text; 0: without any."""
    return {"name": "finish_length", "share": share}


def content_filter() -> Behaviour:
    """Half of the answer, then finish reason "content_filter"."""
    return {"name": "content_filter"}
