"""What belongs to a user: tokens, the allowance of slots, remembered idempotency keys."""

import hashlib
import secrets
from collections.abc import Collection, Mapping
from typing import NamedTuple, Self

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce, Now

from .states import Status
from .task import Task

TASK = Task._meta.db_table


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self, token: str) -> Self:
        """The row of this token, if its owner may still sign in."""
        return self.filter(digest=ApiToken.hash(token), owner__is_active=True)


class ApiToken(models.Model):
    """A program's key to the API. Only its hash is kept; the token is shown once."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or f"token {self.pk}"

    @staticmethod
    def hash(token: str) -> str:
        # The token is 256 random bits: a plain hash cannot be guessed back.
        return hashlib.sha256(token.encode()).hexdigest()

    @classmethod
    def issue(cls, owner_id: int, *, name: str = "") -> str:
        token = f"lh_{secrets.token_urlsafe(32)}"
        cls.objects.create(owner_id=owner_id, name=name, digest=cls.hash(token))
        return token


class Limits(NamedTuple):
    """How many tasks a user may have: `active`: queued or running, `waiting`: pending."""

    active: int
    waiting: int


def usual_limits() -> Limits:
    """Of a user for whom nothing else is said."""
    return Limits(settings.LONGHAUL_ACTIVE_TASKS_PER_USER, settings.LONGHAUL_WAITING_TASKS_PER_USER)


def limit(column: str, otherwise: int, *, own: str, owner: str) -> Coalesce:
    """The one rule of what a user may have: the own number, else the largest of the user's groups, else `otherwise`.

    `column`: of the allowances; `own`, `owner`: where the query has that of the user, and the user's id.
    """
    groups = GroupAllowance.objects.filter(group__user=OuterRef(owner)).order_by().values("group__user")
    of_groups = Subquery(groups.annotate(most=Max(column)).values("most"))
    return Coalesce(own, of_groups, otherwise, output_field=IntegerField())


# Each by one look into the index: neither one user's 10,000 rows nor 100,000 users with nothing to do cost anything.
OWNERS_WITH_PENDING = f"""
WITH RECURSIVE found(owner_id) AS (
    SELECT MIN(owner_id) FROM {TASK} WHERE status = '{Status.PENDING}'
    UNION ALL
    SELECT (SELECT MIN(owner_id) FROM {TASK} WHERE status = '{Status.PENDING}' AND owner_id > found.owner_id)
    FROM found WHERE found.owner_id IS NOT NULL
) SELECT owner_id FROM found WHERE owner_id IS NOT NULL
"""  # noqa: S608


class AllowanceQuerySet(models.QuerySet["Allowance"]):
    def with_limits(self, usual: Limits) -> Self:
        """Each with `active_limit` and `waiting_limit`."""
        return self.annotate(
            active_limit=limit("active_tasks", usual.active, own="active_tasks", owner="owner"),
            waiting_limit=limit("waiting_tasks", usual.waiting, own="waiting_tasks", owner="owner"),
        )

    def with_free_slot(self) -> Self:
        held = Task.objects.filter(owner=OuterRef("owner")).holding_slots().order_by().values("owner")
        return (
            self.with_limits(usual_limits())
            .annotate(slots_held=Coalesce(Subquery(held.annotate(n=Count("*")).values("n")), 0))
            .filter(active_limit__gt=F("slots_held"))
        )

    def having_due(self, service: Mapping[str, Collection[str]]) -> Self:
        """Of users with a pending task that could be admitted."""
        due = Task.objects.admissible(service).filter(owner=OuterRef("owner")).order_by()
        return self.filter(Exists(due), owner__in=RawSQL(OWNERS_WITH_PENDING, ()))  # noqa: S611


class Allowance(models.Model):
    """One row a user: the lock under which the user's slots are counted, and how many there are."""

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="allowance")
    active_tasks = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Queued or running at a time. Empty: the number of a group, else the setting's.",
    )
    waiting_tasks = models.PositiveIntegerField(
        null=True, blank=True, help_text="Waiting at a time. Empty: the number of a group, else the setting's."
    )

    objects = AllowanceQuerySet.as_manager()

    def __str__(self) -> str:
        return f"allowance of {self.owner_id}"


class GroupAllowance(models.Model):
    """What each member of a group may have. Of several groups the largest number holds."""

    group = models.OneToOneField(Group, models.CASCADE, primary_key=True, related_name="allowance")
    active_tasks = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: says nothing of it.")
    waiting_tasks = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: says nothing of it.")

    def __str__(self) -> str:
        return f"allowance of group {self.group_id}"


class IdempotencyKey(models.Model):
    """A submission's own key: the same key means the same task, whatever became of it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    task = models.ForeignKey(Task, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="idempotency_key_once")]

    def __str__(self) -> str:
        return self.key
