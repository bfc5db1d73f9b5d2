"""A person at the page, as far as forms go: over real HTTP, with a session and the forms' own tokens."""

import re
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from .multipart import multipart

PASSWORD = "correct horse battery staple"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
TASK_PAGE = re.compile(r"/tasks/([0-9a-f-]{36})/$")


@dataclass(frozen=True, slots=True)
class Seen:
    """`url`: after all redirects."""

    status: int
    url: str
    html: str

    @property
    def task_id(self) -> str:
        """ "" where this is no page of a task."""
        found = TASK_PAGE.search(self.url)
        return found[1] if found else ""


class PageVisitor:
    def __init__(self, base: str, user: Any) -> None:
        """Sign in as `user`, who gets a password that the real site knows too: it does not know the tests' hasher."""
        user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt")
        user.save()
        self.base = base
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        fields = {"username": user.username, "password": PASSWORD, **self._token("/login/")}
        seen = self._send(Request(f"{base}/login/", data=urlencode(fields).encode()))
        assert "New task" in seen.html, seen

    def get(self, path: str) -> Seen:
        return self._send(Request(self.base + path))

    def submit(self, content: bytes, *, name: str, kind: str = "document.generate", **fields: str) -> Seen:
        """Choose a file, fill in the form, press Start: the page that this leads to."""
        path = f"/?kind={kind}"
        body, headers = multipart({"kind": kind, **fields, **self._token(path)}, content=content, name=name)
        return self._send(Request(self.base + path, data=body, headers=headers))

    def _token(self, path: str) -> dict[str, str]:
        found = TOKEN.search(self.get(path).html)
        assert found, f"{path} has no form"
        return {"csrfmiddlewaretoken": found[1]}

    def _send(self, request: Request) -> Seen:
        try:
            with self._opener.open(request, timeout=60) as answer:
                return Seen(answer.status, answer.url, answer.read().decode())
        except HTTPError as error:
            return Seen(error.code, error.url or "", error.read().decode())
