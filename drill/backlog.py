"""Arrivals above the service rate, then none, then a worker that dies: each incident is told of once, and its end."""

import itertools
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any, Self

from django.conf import settings

from tasks_app.models import Alert, AlertRule, Delivery, QueueSample, Task
from tests.support.mailserver import MailServer
from tests.support.receiver import Receiver

from .ground import Ground
from .registry import Figures, Size, drill, expect

SERVICE_SECONDS = {Size.FULL: 1.0, Size.SHORT: 0.4}
# FULL: so many a second; SHORT: all of them at once, since its alert does not wait for two minutes. They keep the
# estimate above its limit for about ten seconds, three times as long as the alert waits.
ARRIVALS_PER_SECOND, BURST = 2.0, 40
QUIET_SECONDS = {Size.FULL: 30.0, Size.SHORT: 2.0}
# An alert may come later than its time by a tick, a sample's second, and what a busy machine takes.
LATE_SECONDS = {Size.FULL: 5.0, Size.SHORT: 30.0}
SHORT_AFTER_SECONDS = "3"
OPERATOR = "ops@example.org"


@drill("a backlog is told of once")
def backlog(size: Size) -> Figures:
    with Scene(size) as scene:
        scene.start()
        _expect_quiet(scene, "arrivals are below the service rate", work=scene.trickle)
        opened = _overloaded(scene)
        resolved = _drained(scene, opened)
        _expect_quiet(scene, "the queue is empty", work=time.sleep)
        alone = _left_alone(scene)
        scene.expect_told({"drain": 1, "no_worker": 1})
        return [*opened.figures, *resolved, *alone, ("mails and webhooks", scene.messages, "")]


class Scene:
    """One worker of one queue, two schedulers, a mail server, and a receiver of webhooks."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self._stack = ExitStack()
        self._mail, self._hook = MailServer(), Receiver()
        env = {
            "EMAIL_URL": self._mail.url,
            "LONGHAUL_OPERATOR_EMAILS": OPERATOR,
            "LONGHAUL_ALERT_WEBHOOK_URL": self._hook.url,
            "LONGHAUL_ALERT_WEBHOOK_SECRET": "a drill",
        }
        if size is Size.SHORT:
            env["LONGHAUL_ALERT_AFTER_SECONDS"] = SHORT_AFTER_SECONDS
        self.ground = Ground(size, **env)
        self.after = float(SHORT_AFTER_SECONDS if size is Size.SHORT else settings.LONGHAUL_ALERT_AFTER_SECONDS)

    def __enter__(self) -> Self:
        for one in (self._mail, self._hook, self.ground):
            self._stack.enter_context(one)
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def start(self) -> None:
        self.worker = self.ground.house.ready_worker("gpu")
        self.schedulers = [self.ground.house.scheduler() for _ in range(2)]
        self.ground.wait_until(
            QueueSample.objects.filter(workers=1).exists, 90, what="the queue and its worker are seen"
        )

    def submit(self, count: int = 1) -> list[Task]:
        return [
            self.ground.submit("test.steps", count=1, seconds=SERVICE_SECONDS[self.size], deadline=86_400)
            for _ in range(count)
        ]

    def trickle(self, seconds: float) -> None:
        """One after the other, each when the one before has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.ground.ended(*self.submit(), within=60)

    def arrive_until(self, predicate: Callable[[], object], *, within: float, what: str) -> int:
        """Above the service rate, until it is so; returns how many arrived."""
        until = time.monotonic() + within
        for arrived in itertools.count(1):
            self.submit(1 if self.size is Size.FULL else BURST)
            if self.size is Size.SHORT:
                self.ground.wait_until(predicate, within, what=what)
            if predicate():
                return arrived if self.size is Size.FULL else BURST
            expect(time.monotonic() < until, f"not so after {within:g} s: {what}")
            time.sleep(1 / ARRIVALS_PER_SECOND)
        raise AssertionError("it counts for ever")

    @property
    def messages(self) -> int:
        return len(self._mail.kept.messages) + len(self._hook.received)

    def wait_until_sent(self) -> None:
        self.ground.wait_until(lambda: not Delivery.objects.filter(done_at=None).exists(), 60, what="all is sent")

    def expect_told(self, incidents: dict[str, int]) -> None:
        """So many incidents by rule, each opened and resolved, each told of once by mail and once by webhook."""
        self.wait_until_sent()
        found = Counter(Alert.objects.exclude(resolved_at=None).values_list("rule", flat=True))
        expect(dict(found) == incidents, f"the incidents are {dict(found)}, expected {incidents}")
        expect(not Alert.objects.open().exists(), "an alert is still open")
        wanted = 2 * sum(incidents.values())
        subjects = self._mail.subjects
        expect(len(subjects) == wanted, f"{len(subjects)} mails were sent, expected {wanted}: {subjects}")
        numbers = {got.headers["x-longhaul-delivery"] for got in self._hook.received}
        expect(len(self._hook.received) == len(numbers) == wanted, f"webhooks: {numbers}, expected {wanted}")


class Opened:
    """What is known when the alert about the drain time has come."""

    def __init__(self, alert: Alert, *, arrived: int, since: datetime) -> None:
        self.alert = alert
        self.held = (alert.opened_at - since).total_seconds()
        self.figures: Figures = [("arrived", arrived, ""), ("alert after the estimate passed 5 min", self.held, "s")]


def _expect_quiet(scene: Scene, when: str, *, work: Callable[[float], None]) -> None:
    before = Alert.objects.count()
    work(QUIET_SECONDS[scene.size])
    expect(Alert.objects.count() == before, f"an alert came although {when}: {Alert.objects.last()}")


def _overloaded(scene: Scene) -> Opened:
    is_open = Alert.objects.open().filter(rule=AlertRule.DRAIN).exists
    within = scene.after + LATE_SECONDS[scene.size] + 60
    arrived = scene.arrive_until(is_open, within=within, what="the alert about the drain time is open")
    alert = Alert.objects.open().get()
    since = _above_since(alert)
    opened = Opened(alert, arrived=arrived, since=since)
    late = opened.held - scene.after
    # A sample stands for its whole second.
    expect(-1 <= late <= LATE_SECONDS[scene.size], f"it came {late:.1f} s after its time")
    # Another scheduler goes on, and knows of it. Who dies between sending and the note of it would be another drill.
    scene.wait_until_sent()
    scene.schedulers[0].kill()
    return opened


def _above_since(alert: Alert) -> datetime:
    """The first sample of those in a row, until the alert, whose estimate is above the limit."""
    before = QueueSample.objects.filter(queue="gpu", at__lte=alert.opened_at).order_by("-at")
    limit = settings.LONGHAUL_ALERT_DRAIN_MINUTES
    above = list(itertools.takewhile(lambda one: one.drain_minutes is None or one.drain_minutes > limit, before))
    expect(above, "the alert came although the estimate was below its limit")
    return above[-1].at


def _drained(scene: Scene, opened: Opened) -> Figures:
    """Nothing arrives any more."""
    began = time.monotonic()
    scene.ground.wait_until(lambda: not Alert.objects.open().exists(), 600, what="the alert is resolved")
    took = time.monotonic() - began
    alert = Alert.objects.get(pk=opened.alert.pk)
    last = QueueSample.objects.filter(queue="gpu", at__lte=alert.resolved_at).latest("at")
    limit = settings.LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES
    expect(last.drain_minutes is not None and last.drain_minutes <= limit, f"it resolved at {last.drain_minutes} min")
    early = QueueSample.objects.filter(queue="gpu", drain_minutes__lte=limit, at__gt=alert.opened_at).earliest("at")
    late = ((alert.resolved_at or alert.opened_at) - early.at).total_seconds()
    expect(late <= LATE_SECONDS[scene.size], f"it resolved {late:.1f} s after the estimate fell below {limit:g} min")
    scene.ground.wait_until(lambda: not Task.objects.active().exists(), 600, what="the queue is empty")
    return [("resolved after", took, "s"), ("estimate then", last.drain_minutes or 0.0, "min")]


def _left_alone(scene: Scene) -> Figures:
    """The only worker is killed, and work comes."""
    began = time.monotonic()
    scene.ground.kill_group(scene.worker)
    scene.submit(3)
    is_open = Alert.objects.open().filter(rule=AlertRule.NO_WORKER).exists
    scene.ground.wait_until(is_open, scene.after + 120, what="the alert about the missing worker is open")
    took = time.monotonic() - began
    scene.ground.house.ready_worker("gpu")
    began = time.monotonic()
    scene.ground.wait_until(lambda: not Alert.objects.open().exists(), 240, what="it is resolved")
    return [
        ("alert after the worker's death", took, "s"),
        ("resolved after another came", time.monotonic() - began, "s"),
    ]
