"""One endpoint's throttle in this process: asks Redis, and keeps to its own share where Redis does not answer."""

import threading
import time
import uuid
from dataclasses import replace
from functools import lru_cache

from django.conf import settings

from tasks_app.redis_link import RedisLink

from .limits import Limits
from .share import Share
from .shared import LINGER_MS, WINDOW_SECONDS, Answer, Asked, Outcome, SharedState, Verdict

# A call is held up by a Redis that hangs at most so long, and once.
REDIS_SECONDS = 0.25
RENEW_SECONDS = 1.5
# How often the own share is looked at while Redis is away.
LOCAL_POLL_SECONDS = 0.1
# Taken for the number of processes by one that never heard from Redis.
UNKNOWN_PROCESSES = 8
# An endpoint that failed for everyone is not asked for so long after Redis fell silent, and then by all again.
STILL_DOWN_SECONDS = 5.0


class Throttle:
    """Safe from any thread."""

    def __init__(self, *, redis: RedisLink, endpoint: str, model_name: str) -> None:
        self._redis = redis
        self._shared = SharedState(endpoint=endpoint, model_name=model_name, process=uuid.uuid4().hex)
        self._share = Share(window=WINDOW_SECONDS, linger=LINGER_MS / 1000)
        # As Redis said last.
        self._last = Answer(Verdict.IN_LINE, alive=UNKNOWN_PROCESSES)
        self._last_at = 0.0
        self._keeper: threading.Thread | None = None
        self._lock = threading.Lock()
        self._has_any = threading.Event()

    def enter(self, asked: Asked, *, waited: float) -> Answer:
        """Ask for a permit, after `waited` seconds in line."""
        limits = Limits.set()
        share = self._own(limits)
        in_share = (self._share.has_hand(share), self._share.has_minute(share, asked.tokens))
        answer = self._redis.ask(
            lambda redis: self._shared.enter(redis, asked, limits, waited=waited, in_share=in_share),
            otherwise=None,
        )
        if answer is None:
            return self._without_redis(asked, share)
        self._last, self._last_at = answer, time.monotonic()
        if answer.verdict is Verdict.GRANTED:
            self._share.take(asked.permit, asked.tokens)
            self._keep()
        return answer

    def leave(
        self, asked: Asked, answer: Answer, outcome: Outcome, *, retry_after: float = 0.0, used: int = -1
    ) -> float | None:
        """Give a permit back, or leave the line. Where the call failed because the endpoint fails for everyone: seconds
        since when it does.

        `used`: tokens. `retry_after`: seconds.
        """
        if outcome is Outcome.UNUSED:
            self._share.give_unused(asked.permit)
        else:
            self._share.give(asked.permit, used=used)
        if answer.granted_ms == 0 and answer.verdict is Verdict.GRANTED:
            # Redis knows it only if it came back meanwhile; then it lapses there.
            return None
        limits = Limits.set()
        return self._redis.ask(
            lambda redis: self._shared.leave(
                redis, asked, limits, answer=answer, outcome=outcome, retry_after=retry_after, used=used
            ),
            otherwise=None,
        )

    def _own(self, limits: Limits) -> Limits:
        """The share of this process in what holds now."""
        narrowed = replace(limits, at_once=self._last.limit or limits.at_once)
        return narrowed.share_of(self._last.alive)

    def _without_redis(self, asked: Asked, share: Limits) -> Answer:
        if self._last.verdict is Verdict.DOWN and time.monotonic() - self._last_at < STILL_DOWN_SECONDS:
            return self._last
        if self._share.take_if_free(asked.permit, share=share, tokens=asked.tokens):
            self._keep()
            return Answer(Verdict.GRANTED)
        return Answer(Verdict.IN_LINE, ask_again=LOCAL_POLL_SECONDS)

    def _keep(self) -> None:
        """Renew what is in hand from now on, in a thread that stays: one for each process, also after a fork."""
        self._has_any.set()
        with self._lock:
            if self._keeper is None or not self._keeper.is_alive():
                self._keeper = threading.Thread(target=self._renew, name="endpoint-permits", daemon=True)
                self._keeper.start()

    def _renew(self) -> None:
        while True:
            self._has_any.wait()
            time.sleep(RENEW_SECONDS)
            permits = self._share.in_hand
            if permits:
                self._redis.ask(lambda redis: self._shared.keep(redis, permits), otherwise=0)  # noqa: B023
                # What was given back meanwhile is in nobody's hand, and would lie there for the rest of its life.
                if late := set(permits).difference(self._share.in_hand):
                    self._redis.ask(lambda redis: self._shared.drop(redis, late), otherwise=0)
            else:
                self._has_any.clear()
                # One may have been taken between the look and the clearing.
                if self._share.in_hand:
                    self._has_any.set()


_making = threading.Lock()


def throttle(*, endpoint: str, model_name: str) -> Throttle:
    """The one of this process."""
    # Lanes begin at once, and the cache alone would let each of them make one of its own, with a share of its own.
    with _making:
        return _throttle(settings.REDIS_URL, endpoint, model_name)


@lru_cache(maxsize=4)
def _throttle(_redis_url: str, endpoint: str, model_name: str) -> Throttle:
    return Throttle(redis=RedisLink(timeout=REDIS_SECONDS), endpoint=endpoint, model_name=model_name)
