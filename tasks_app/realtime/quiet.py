"""Keeps the loss of Redis or the database from flooding the log: one line a minute for each.

For Redis it is shared with the channel layer: whichever logger speaks first.
"""

import logging
import threading
import time

SECONDS = 60


class OncePerMinute(logging.Filter):
    """Lets one record a minute through, as one line: without its stack."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._last = -float(SECONDS)

    def filter(self, record: logging.LogRecord) -> bool:
        with self._lock:
            now = time.monotonic()
            if now - self._last < SECONDS:
                return False
            self._last = now
        if record.exc_info:
            record.msg = f"{record.msg} {record.exc_info[1]!r}"
            record.exc_info = None
        return True


redis = logging.getLogger("tasks_app.realtime.redis")
database = logging.getLogger("tasks_app.realtime.database")
_redis_filter = OncePerMinute()
redis.addFilter(_redis_filter)
# The pub/sub layer writes a stack a second while Redis is away.
logging.getLogger("channels_redis.pubsub").addFilter(_redis_filter)
database.addFilter(OncePerMinute())
