"""`python -m project.launch`: what `make run` does once everything is installed."""

import argparse
import os
import signal
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from .errors import LaunchError

# From the first start on, until everything has answered once. A first start compiles every module.
PATIENCE_SECONDS = 120.0
INTERRUPTED = 130


def main() -> int:
    options = parser().parse_args()
    if options.end_with_parent:
        from .lifeline import end_with_parent

        end_with_parent(os.getppid(), signal.SIGTERM)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    try:
        django.setup()
        launch()
    except (LaunchError, ImproperlyConfigured) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m project.launch", description=__doc__)
    found.add_argument(
        "--end-with-parent", action="store_true", help="stop everything when the program that called this one ends"
    )
    return found


def launch() -> None:
    """Start everything, stay until it ends. Errors: LaunchError, ImproperlyConfigured."""
    # Django is set up by now, and these read its settings.
    from project.environment import whole_number

    from . import preflight
    from .database import prepare
    from .manager import Launcher
    from .programs import LOOPBACK, applications, services
    from .welcome import welcome

    port = whole_number("PORT", 8000)
    accounts_file = Path(settings.VAR_DIR) / "accounts.json"
    with preflight.hold(settings.VAR_DIR):
        preflight.check(port)
        programs = [*services(), *applications(port)]
        passwords = prepare(accounts_file)
        text = welcome(f"http://{LOOPBACK}:{port}", passwords=passwords, kept_in=accounts_file)
        Launcher(
            programs,
            grace=settings.LONGHAUL_SHUTDOWN_GRACE_SECONDS,
            patience=PATIENCE_SECONDS,
            welcome=text,
        ).loop()


if __name__ == "__main__":
    sys.exit(main())
