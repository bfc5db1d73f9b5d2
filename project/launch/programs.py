"""Which processes `make run` starts, from the settings."""

import http.client
import sys

from django.conf import settings

from . import embedded_redis
from .program import Program

LOOPBACK = "127.0.0.1"
ANSWER_SECONDS = 1.0


def answers(port: int, path: str) -> bool:
    """Whether GET of `path` on loopback gives 200. By http.client: a proxy of the environment has no part in it."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, *arguments)


def manage(*arguments: str) -> tuple[str, ...]:
    return python(str(settings.BASE_DIR / "manage.py"), *arguments)


def services() -> list[Program]:
    """Redis and the model, where the environment names none of its own."""
    found = []
    if embedded_redis.is_wanted():
        found.append(
            embedded_redis.program(
                embedded_redis.binary(), data=settings.VAR_DIR / "redis", path=embedded_redis.socket_path()
            )
        )
    if settings.MODEL_IS_EMBEDDED:
        model_port = settings.EMBEDDED_MODEL_PORT
        found.append(
            Program(
                name="model",
                argv=manage("modelserver"),
                is_service=True,
                is_ready=lambda: answers(model_port, "/health"),
            )
        )
    return found


def applications(port: int) -> list[Program]:
    """The web server on `port` of loopback, a worker for each queue, the scheduler."""
    # `python -m`: a script's first line breaks where the folder's path has a space.
    web = python("-m", "daphne", "project.asgi:application", "--bind", LOOPBACK, "--port", str(port))
    return [
        Program(name="web", argv=web, is_ready=lambda: answers(port, "/healthz")),
        *(Program(name=queue, argv=manage("rqworker", queue)) for queue in settings.TASK_QUEUES),
        Program(name="scheduler", argv=manage("rqscheduler")),
    ]
