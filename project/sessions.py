"""Django's sessions in the database, deaf to keys that no database takes."""

from typing import Any

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    def _validate_session_key(self, key: Any) -> bool:
        # A cookie may say \000: PostgreSQL refuses it with an error, on every page and without a login.
        return bool(super()._validate_session_key(key)) and key.isalnum()  # type: ignore[misc]
