"""How long the web takes to answer, with workers idle and busy in turns."""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.test import Client

from tasks_app.models import Allowance, ApiToken, ModelCall
from tests.support.client import Answer, ApiClient
from tests.support.documents import marker_pdf
from tests.support.rows import make_user

from .samples import in_ms, percentile
from .scale import Scale
from .site import Site
from .table import Row, Table

AIM = 1.2
OR_WITHIN_SECONDS = 0.020
ENDPOINT_SECONDS = 0.25
LANES = 4
# Between two requests: they are to be answered, not to be many.
PAUSE_SECONDS = 0.02
SITUATIONS = ("idle", "busy")
type Samples = dict[tuple[str, str], list[float]]


def measure(scale: Scale) -> Table:
    samples: Samples = defaultdict(list)
    with Site(LONGHAUL_MODEL_CONCURRENCY=str(LANES)) as site:
        site.endpoint.default(latency=ENDPOINT_SECONDS)
        site.house.ready_worker("gpu")
        site.house.scheduler()
        requests = Visitor(site).requests()
        _block(requests, scale.block_seconds / 5)
        for number in range(scale.rounds):
            for situation in SITUATIONS:
                task_id = _make_busy(site, scale.block_seconds, number) if situation == "busy" else ""
                for name, taken in _block(requests, scale.block_seconds):
                    samples[name, situation].append(taken)
                if task_id:
                    site.ended(task_id, within=60 + scale.block_seconds)
    return Table(
        title=f"Answers of the web while workers are idle and busy, {connection.display_name}",
        how=f"Blocks of {scale.block_seconds:g} s in turns, {scale.rounds} of each. Busy: the gpu worker works on a "
        f"document at an endpoint of {ENDPOINT_SECONDS * 1000:.0f} ms, {LANES} calls at a time.",
        rows=[_row(name, samples) for name in requests],
    )


class Visitor:
    """A user without free slots: what is submitted stays pending, and leaves the workers idle."""

    def __init__(self, site: Site) -> None:
        self._user = make_user("grace")
        Allowance.objects.create(owner=self._user, active_tasks=0)
        self._program = ApiClient(site.base, ApiToken.issue(self._user.pk))
        self._browser = Browser(site.base, self._user)
        self._number = itertools.count()
        self._task_id = self._submit_file().json["id"]

    def requests(self) -> dict[str, Callable[[], Answer]]:
        return {
            "POST /api/tasks, a PDF of 3 pages": self._submit_file,
            "POST /api/tasks, JSON": self._submit_json,
            "GET /api/tasks/{id}": lambda: self._program.get(f"/api/tasks/{self._task_id}"),
            "GET /": lambda: self._browser.get("/"),
        }

    def _submit_file(self) -> Answer:
        return self._program.submit(marker_pdf(3), name="report.pdf", instruction=f"Sum up {next(self._number)}.")

    def _submit_json(self) -> Answer:
        return self._program.post("/api/tasks", {"kind": "bench.words", "input": {"text": f"n {next(self._number)}"}})


class Browser(ApiClient):
    """Signed in by a session instead of a token."""

    def __init__(self, base: str, user: Any) -> None:
        super().__init__(base, "")
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        self._headers = {"Cookie": f"{name}={client.cookies[name].value}"}


def _make_busy(site: Site, seconds: float, number: int) -> str:
    """Submit a document that takes so long; its id as soon as its calls are in flight."""
    pages = max(LANES * round(seconds / ENDPOINT_SECONDS), LANES * 2)
    task_id = site.submit(marker_pdf(pages), instruction=f"Say what you see, {number}.")
    site.house.wait_until(ModelCall.objects.filter(task=UUID(task_id)).exists, 20, what="the worker is busy")
    return task_id


def _block(requests: dict[str, Callable[[], Answer]], seconds: float) -> list[tuple[str, float]]:
    """The requests in turns, for so long. Raises RuntimeError where one is not answered as it should be."""
    found: list[tuple[str, float]] = []
    until = time.monotonic() + seconds
    for name, ask in itertools.cycle(requests.items()):
        if time.monotonic() > until:
            return found
        answer = ask()
        if answer.status not in (200, 202):
            raise RuntimeError(f"{name} was answered with {answer.status}: {answer.body[:300]!r}")
        found.append((name, answer.seconds))
        time.sleep(PAUSE_SECONDS)
    raise AssertionError("a cycle has no end")


def _row(name: str, samples: Samples) -> Row:
    idle, busy = (samples[name, situation] for situation in SITUATIONS)
    at = {percent: (percentile(idle, percent), percentile(busy, percent)) for percent in (50, 99)}
    low, high = at[99]
    return Row(
        what=name,
        measured="; ".join(f"p{percent} {in_ms(one)} -> {in_ms(other)} ms" for percent, (one, other) in at.items())
        + f" (n {len(idle)}, {len(busy)})",
        ratio=f"p50 {at[50][1] / at[50][0]:.2f} x, p99 {high / low:.2f} x idle",
        aim=f"p99 < {AIM} x, or within {OR_WITHIN_SECONDS * 1000:.0f} ms",
        is_met=high / low < AIM or high - low <= OR_WITHIN_SECONDS,
    )
