import time
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from tasks_app.lifecycle.filling import analyze, fill_finished, fill_waiting

# Who has the finished tasks, besides the owner.
OTHERS = 19


class Command(BaseCommand):
    help = (
        "Fill the database with made-up tasks, to measure with many: finished ones of twenty users over a month, "
        "waiting ones of one user. Not for a database that somebody uses: a worker would take the waiting ones."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--finished", type=int, default=0, help="How many finished tasks.")
        parser.add_argument("--waiting", type=int, default=0, help="How many waiting tasks.")
        parser.add_argument("--owner", default="filled", help="The user of the waiting ones; made when missing.")

    def handle(self, *_args: Any, **options: Any) -> None:
        finished, waiting = options["finished"], options["waiting"]
        if finished < 0 or waiting < 0 or not finished + waiting:
            raise CommandError("Say how many tasks: --finished N, --waiting N, or both.")
        began = time.monotonic()
        owner = _user(options["owner"])
        if finished:
            fill_finished(finished, owner_ids=[owner, *(_user(f"filled-{number}") for number in range(OTHERS))])
        fill_waiting(waiting, owner_id=owner)
        analyze()
        self.stdout.write(f"{finished} finished and {waiting} waiting tasks in {time.monotonic() - began:.1f} s.")


def _user(name: str) -> int:
    """Its id. A user that is made has no password, so that nobody signs in by it."""
    users = get_user_model().objects
    user = users.filter(username=name).first() or users.create_user(name)
    found: int = user.pk
    return found
