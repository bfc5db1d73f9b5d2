"""Threads of the scheduler's own that send: a slow mail server must hold up neither a tick nor the webhooks."""

import logging
import threading
from functools import partial

from django.db import connection

from tasks_app.lifecycle.connection import AWAY, close_for_good
from tasks_app.models import Delivery

from .deliver import send_due

logger = logging.getLogger(__name__)


class Postman:
    """One thread for a channel, at work only while something is due."""

    def __init__(self) -> None:
        self._threads: dict[str, threading.Thread] = {}

    def wake(self) -> int:
        """Have what is due sent; returns for how many channels somebody is at it. Waits for nobody."""
        due = Delivery.objects.due().values_list("channel", flat=True).distinct().order_by()
        for channel in due:
            self._start(channel)
        return len([one for one in self._threads.values() if one.is_alive()])

    def _start(self, channel: str) -> None:
        if channel in self._threads and self._threads[channel].is_alive():
            return
        # A daemon: a process that leaves does not wait for a server that hangs. It is sent again later.
        thread = threading.Thread(target=partial(_send_all, channel), name=f"sends {channel}", daemon=True)
        self._threads[channel] = thread
        thread.start()


def _send_all(channel: str) -> None:
    try:
        while send_due(channel):
            pass
    except AWAY:
        # Looked for again at the next tick; the tick itself says that the database is away.
        close_for_good()
    except Exception:
        logger.exception("sending by %s failed", channel)
    finally:
        # Of this thread, which is about to end.
        connection.close()
