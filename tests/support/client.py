"""A program that uses the API over real HTTP, as README's example does."""

import json
import time
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from .multipart import multipart

_open = build_opener(ProxyHandler({})).open


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class ApiClient:
    def __init__(self, base: str, token: str) -> None:
        self.base = base
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str) -> Answer:
        return self._send(Request(self.base + path, headers=self._headers))

    def post(self, path: str, body: Any = None) -> Answer:
        headers = self._headers | {"Content-Type": "application/json"}
        return self._send(Request(self.base + path, data=json.dumps(body or {}).encode(), headers=headers))

    def submit(self, content: bytes, *, name: str, idempotency_key: str = "", **fields: str) -> Answer:
        """POST /api/tasks as a form with a file."""
        form, headers = multipart({"kind": "document.generate"} | fields, content=content, name=name)
        headers |= self._headers
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        return self._send(Request(f"{self.base}/api/tasks", data=form, headers=headers))

    def task(self, task_id: str) -> Any:
        return self.get(f"/api/tasks/{task_id}").json

    @staticmethod
    def _send(request: Request) -> Answer:
        began = time.monotonic()
        try:
            with _open(request, timeout=60) as response:
                return Answer(response.status, dict(response.headers), response.read(), time.monotonic() - began)
        except HTTPError as error:
            return Answer(error.code, dict(error.headers), error.read(), time.monotonic() - began)
