"""`manage.py modelserver`: the embedded model, OpenAI-compatible, on loopback."""

import signal
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tasks_app.endpoint import embedded
from tasks_app.endpoint.embedded_log import CallLog, stderr_read_by
from tasks_app.exceptions import LonghaulError


class Command(BaseCommand):
    help = "Serve the embedded model on loopback until told to stop; one line for each call."
    requires_system_checks = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            with stderr_read_by(CallLog(self.say).read), embedded.running() as address:
                self.say(f"Model ready: {settings.MODEL_NAME} at {address}/v1")
                while True:
                    signal.pause()
        except LonghaulError as error:
            raise CommandError(str(error)) from error

    def say(self, line: str) -> None:
        self.stdout.write(f"{datetime.now().astimezone():%H:%M:%S} {line}")
        self.stdout.flush()
