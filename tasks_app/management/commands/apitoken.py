from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from tasks_app.models import ApiToken

NAME_CHARACTERS = 100


class Command(BaseCommand):
    help = "Print a new API token of a user. It is shown this once: only its hash is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="The name that the user signs in with.")
        parser.add_argument("--name", default="", help="What the token is for, shown to operators.")

    def handle(self, *_args: Any, **options: Any) -> None:
        users = get_user_model()
        try:
            user = users.objects.get_by_natural_key(options["user"])
        except users.DoesNotExist:
            raise CommandError(f"There is no user {options['user']!r}.") from None
        if not user.is_active:
            raise CommandError(f"The user {options['user']!r} is not active, so a token would be refused.")
        if len(options["name"]) > NAME_CHARACTERS:
            raise CommandError(f"The name of a token may have {NAME_CHARACTERS} characters at most.")
        self.stdout.write(ApiToken.issue(user.pk, name=options["name"]))
