"""What this process has in hand and has asked lately: its own share, where nothing is known of the others."""

import threading
import time
from collections.abc import Callable

from .limits import Limits


class Share:
    """Safe from any thread. `window`: seconds that a request counts.

    `linger`: seconds until the endpoint has noticed that a call is over.
    """

    def __init__(self, *, window: float, linger: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._window = window
        self._linger = linger
        # Until when those count that were given back a moment ago.
        self._ending: list[float] = []
        self._in_hand: set[str] = set()
        # When, and how many tokens; the oldest first.
        self._lately: dict[str, tuple[float, int]] = {}

    @property
    def in_hand(self) -> list[str]:
        """Permits."""
        with self._lock:
            return list(self._in_hand)

    def has_hand(self, share: Limits) -> bool:
        with self._lock:
            return self._has_hand(share)

    def has_minute(self, share: Limits, tokens: int) -> bool:
        with self._lock:
            return self._has_minute(share, tokens)

    def take(self, permit: str, tokens: int) -> None:
        with self._lock:
            self._take(permit, tokens)

    def take_if_free(self, permit: str, *, share: Limits, tokens: int) -> bool:
        with self._lock:
            is_free = self._has_hand(share) and self._has_minute(share, tokens)
            if is_free:
                self._take(permit, tokens)
            return is_free

    def give(self, permit: str, *, used: int) -> None:
        """`used`: tokens; -1: nobody knows."""
        with self._lock:
            if permit in self._in_hand:
                self._in_hand.remove(permit)
                self._ending = [*self._still_ending(), self._clock() + self._linger]
            if used >= 0 and permit in self._lately:
                self._lately[permit] = (self._lately[permit][0], used)

    def give_unused(self, permit: str) -> None:
        with self._lock:
            self._in_hand.discard(permit)
            self._lately.pop(permit, None)

    def _take(self, permit: str, tokens: int) -> None:
        self._in_hand.add(permit)
        self._forget()
        self._lately[permit] = (self._clock(), tokens)

    def _has_hand(self, share: Limits) -> bool:
        return not share.at_once or len(self._in_hand) + len(self._still_ending()) < share.at_once

    def _still_ending(self) -> list[float]:
        return [moment for moment in self._ending if moment > self._clock()]

    def _has_minute(self, share: Limits, tokens: int) -> bool:
        if not (share.requests or share.tokens):
            return True
        self._forget()
        spent = sum(some for _, some in self._lately.values())
        has_requests = not share.requests or len(self._lately) < share.requests
        # What never fits goes when nothing else does.
        return has_requests and (not share.tokens or spent + min(tokens, share.tokens) <= share.tokens)

    def _forget(self) -> None:
        before = self._clock() - self._window
        while self._lately and next(iter(self._lately.values()))[0] <= before:
            del self._lately[next(iter(self._lately))]
