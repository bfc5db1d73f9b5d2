"""Someone who signs in and fills in forms, over real HTTP."""

import re
from html import unescape
from typing import Self

import httpx2

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Visitor:
    def __init__(self, base: str) -> None:
        self._client = httpx2.Client(base_url=base, follow_redirects=True, trust_env=False, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def sign_in(self, path: str, *, username: str, password: str) -> None:
        self.send(path, {"username": username, "password": password})

    def see(self, path: str) -> str:
        answer = self._client.get(path)
        assert answer.is_success, f"{path}: {answer.status_code}\n{answer.text}"
        return unescape(answer.text)

    def send(self, path: str, fields: dict[str, str], *, files: dict[str, tuple[str, bytes]] | None = None) -> str:
        """Fill in the form that stands there and send it; the path where one ends up."""
        token = TOKEN.search(self.see(path))
        assert token, f"no form at {path}"
        answer = self._client.post(path, data={**fields, "csrfmiddlewaretoken": token[1]}, files=files)
        assert answer.is_success, f"{path}: {answer.status_code}\n{answer.text}"
        return answer.url.path
