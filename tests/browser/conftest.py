import os
import socket
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser

from tests.support.browser import Visitor, chromium
from tests.support.house import House
from tests.support.programs import Program

PICTURES = Path(__file__).parent.parent.parent / "var" / "failed-browser-tests"
# Playwright's loop lives in the test's thread, where Django then refuses its ORM.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@dataclass
class Site:
    """A whole Longhaul with its page at `base`. Each test has a user of its own."""

    house: House
    port: int
    web: Program = field(init=False)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open_web(self) -> None:
        self.web = self.house.web(self.port)
        self.house.wait_until(lambda: listens(self.port), 90, what="the web answers")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def _django_db_helper(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """pytest-django's, without a transaction around the test or a flush after it: the site's programs live longer."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="package")
def site(django_db_setup: None, django_db_blocker: Any) -> Iterator[Site]:
    """Starting it takes seconds, so the tests of this folder share it; it leaves no row behind."""
    with django_db_blocker.unblock():
        with House(SECRET_KEY=settings.SECRET_KEY, LONGHAUL_WATCH_SECONDS="1", LONGHAUL_MODEL_CONCURRENCY="2") as house:
            site = Site(house, free_port())
            house.scheduler()
            worker = house.worker("gpu", "cpu")
            site.open_web()
            house.wait_until(lambda: "is ready for" in worker.said, 90, what="the worker is ready")
            yield site
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def visit(site: Site, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """Opens a browser for a new user, signed in. A failed test leaves pictures of what they saw."""
    visitors: list[Visitor] = []

    def open_one(**options: Any) -> Visitor:
        visitor = Visitor(browser, site.base, **options)
        visitors.append(visitor)
        signed_in(visitor, f"u{uuid.uuid4().hex[:8]}")
        return visitor

    site.house.endpoint.reset()
    yield open_one
    site.house.endpoint.reset()
    if getattr(request.node, "failed", False):
        keep_pictures(visitors, request.node.name)
    for visitor in visitors:
        visitor.close()
    # Beside Playwright's loop Django keeps other connections than outside it, and nobody else closes them.
    connections.close_all()


def signed_in(visitor: Visitor, name: str) -> None:
    """By the session that signing in would make, for speed. It holds as long as site and test share SECRET_KEY."""
    client = Client()
    client.force_login(get_user_model().objects.create_user(name))
    cookie: Any = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": visitor.base}
    visitor.context.add_cookies([cookie])
    visitor.name = name
    visitor.page.goto(f"{visitor.base}/")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report


def keep_pictures(visitors: list[Visitor], test: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = [page for visitor in visitors for page in visitor.context.pages]
    for number, page in enumerate(pages):
        path = PICTURES / f"{test}-{number}.png"
        page.screenshot(path=path)
        print(f"what was seen at {page.url}: {path}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0
