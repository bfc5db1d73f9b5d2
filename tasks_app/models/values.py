import json
from typing import Any

from django.core.files.storage import default_storage
from django.db import models


class StoredValue(models.Model):
    """A JSON value: in the row when it is small, else a file whose name, size and hash the row keeps.

    With a file, `value` is None, or a preview of it.
    """

    value = models.JSONField(null=True, blank=True)
    value_file = models.CharField(max_length=200, blank=True)
    value_size = models.PositiveBigIntegerField(default=0, help_text="Bytes of its JSON.")
    value_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        abstract = True

    def load(self) -> Any:
        """The value. Raises FileNotFoundError where its file is gone from the store."""
        if not self.value_file:
            return self.value
        with default_storage.open(self.value_file) as file:
            return json.loads(file.read())
