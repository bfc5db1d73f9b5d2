from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tasks_app.lifecycle.cancel import WrongState, cancel
from tasks_app.models import Status, Task


class Command(BaseCommand):
    help = "Cancel a task: at once while it waits, in a model call or at the end of a step while it is worked on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", type=UUID, help="The task's id.")
        parser.add_argument("--force", action="store_true", help="Kill its program where it does not stop by itself.")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            status = cancel(options["id"], force=options["force"])
        except Task.DoesNotExist:
            raise CommandError(f"There is no task {options['id']}.") from None
        except WrongState as error:
            raise CommandError(str(error)) from None
        self.stdout.write(_said(status, force=options["force"]))


def _said(status: Status, *, force: bool) -> str:
    if status == Status.CANCELLED:
        return "It is cancelled."
    if force:
        grace = settings.LONGHAUL_FORCED_STOP_GRACE_SECONDS
        return f"It was asked to stop. Where it has not by then, its program is killed in {grace:g} s."
    return "It was asked to stop: within a second in a model call, else at the end of the step in hand."
