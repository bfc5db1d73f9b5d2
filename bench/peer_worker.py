"""`python -m bench.peer_worker`: RQ's own fork worker, as it comes."""

import django
from django.conf import settings
from redis import Redis
from rq import Worker
from rq.serializers import JSONSerializer


def main() -> None:
    django.setup()
    # Once here, instead of once in each fork.
    from .peer import QUEUE

    Worker([QUEUE], connection=Redis.from_url(settings.REDIS_URL), serializer=JSONSerializer).work()


if __name__ == "__main__":
    main()
