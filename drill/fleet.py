"""Workers and schedulers that somebody starts anew when they die, and the ways to strike them."""

import os
import signal
from collections.abc import Callable

from tests.support.programs import Program

from . import database
from .ground import Ground
from .plan import Strike

# What a worker says when it listens to signals.
LISTENS = " serves gpu"


class Fleet:
    def __init__(self, ground: Ground, *, workers: int, schedulers: int) -> None:
        self._ground = ground
        self._house = ground.house
        self._workers = [self._house.worker("gpu") for _ in range(workers)]
        self._schedulers = [self._house.scheduler() for _ in range(schedulers)]
        # Told to leave, which they shall do with exit code 0: nobody strikes these any more.
        self.leaving: list[Program] = []
        self._heal: Callable[[], object] | None = None

    @staticmethod
    def strikes() -> list[str]:
        """The names of all that can be done to it on this database."""
        return [name for name in WAYS if name != DATABASE or database.can_be_interrupted()]

    def strike(self, strike: Strike) -> None:
        """Redis, when it was away, comes back first."""
        self.heal()
        WAYS[strike.what](self, strike.victim)

    def heal(self) -> None:
        heal, self._heal = self._heal, None
        if heal is not None:
            heal()

    def _kill_child(self, victim: float) -> None:
        children = [child for worker in self._workers for child in self._ground.children_of(worker)]
        if children:
            os.kill(_chosen(children, victim).pid, signal.SIGKILL)

    def _kill_worker(self, victim: float) -> None:
        worker = _chosen(self._workers, victim)
        self._workers.remove(worker)
        self._ground.kill_group(worker)
        self._workers.append(self._house.worker("gpu"))

    def _tell_worker(self, victim: float) -> None:
        worker = _chosen(self._workers, victim)
        self._workers.remove(worker)
        # Before it listens, the signal ends it as it would end any program.
        if LISTENS in worker.said:
            self.leaving.append(worker)
        worker.signal(signal.SIGTERM)
        self._workers.append(self._house.worker("gpu"))

    def _kill_scheduler(self, victim: float) -> None:
        scheduler = _chosen(self._schedulers, victim)
        self._schedulers.remove(scheduler)
        scheduler.kill()
        self._schedulers.append(self._house.scheduler())

    def _kill_redis(self, _: float) -> None:
        self._house.redis.kill()
        self._heal = self._house.start_redis

    def _stop_redis(self, _: float) -> None:
        redis = self._house.redis
        redis.signal(signal.SIGSTOP)
        self._heal = lambda: redis.signal(signal.SIGCONT)

    def _interrupt_database(self, _: float) -> None:
        database.interrupt()


DATABASE = "database restarted"
WAYS: dict[str, Callable[[Fleet, float], None]] = {
    "child killed": Fleet._kill_child,
    "worker killed": Fleet._kill_worker,
    "worker told to leave": Fleet._tell_worker,
    "scheduler killed": Fleet._kill_scheduler,
    "Redis emptied": Fleet._kill_redis,
    "Redis stopped": Fleet._stop_redis,
    DATABASE: Fleet._interrupt_database,
}


def _chosen[T](those: list[T], victim: float) -> T:
    return those[int(victim * len(those))]
