from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from uuid_utils.compat import uuid7


class DocumentQuerySet(models.QuerySet["Document"]):
    def owned_by(self, owner_id: int) -> Self:
        return self.filter(owner_id=owner_id)


class Document(models.Model):
    """A file that a user uploaded, as it came. Its text is extracted by a worker."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    name = models.CharField(max_length=200, help_text="The name it was uploaded with, cleaned.")
    media_type = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    sha256 = models.CharField(max_length=64)
    file = models.FileField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())

    objects = DocumentQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "sha256"], name="document_by_content")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_new(self) -> bool:
        """Not in the database yet."""
        return self._state.adding
