"""Jobs that somebody scheduled through rq-scheduler itself, for a scheduler that holds the lock."""

import logging
import time

from redis.exceptions import RedisError, ResponseError
from rq.exceptions import NoSuchJobError
from rq_scheduler.scheduler import Scheduler

logger = logging.getLogger(__name__)

# Bounds one look.
AT_ONCE = 100


def enqueue_due(scheduler: Scheduler) -> int:
    """Move due jobs to their queues; returns how many. A job that cannot be read is dropped. Raises RedisError."""
    try:
        due = scheduler.connection.zrangebyscore(scheduler.scheduled_jobs_key, 0, time.time(), start=0, num=AT_ONCE)
    except ResponseError as error:
        logger.warning("the scheduled RQ jobs cannot be read: %s", error)
        return 0
    return sum(_enqueue(scheduler, job_id) for job_id in due)


def _enqueue(scheduler: Scheduler, job_id: bytes) -> int:
    try:
        job = scheduler.job_class.fetch(job_id.decode(), connection=scheduler.connection)
        scheduler.enqueue_job(job)
    except NoSuchJobError:
        _drop(scheduler, job_id)
        return 0
    except Exception as error:
        if isinstance(error, RedisError) and not isinstance(error, ResponseError):
            raise
        logger.warning("dropped a scheduled RQ job that cannot be read, %r: %s", job_id[:60], error)
        _drop(scheduler, job_id)
        return 0
    return 1


def _drop(scheduler: Scheduler, job_id: bytes) -> None:
    scheduler.connection.zrem(scheduler.scheduled_jobs_key, job_id)
