"""The documents that a user uploaded before, to be used again."""

from uuid import UUID

from django.db.models import Exists, OuterRef

from tasks_app.models import Document

MOST_RECENT = 8


def own_document(owner_id: int, text: str | None) -> Document | None:
    """The owner's document with that id. An unknown one, a stranger's and what is no id at all are none."""
    try:
        return Document.objects.owned_by(owner_id).filter(pk=UUID(text)).first() if text else None
    except ValueError:
        return None


def recent_documents(owner_id: int) -> list[Document]:
    """The newest first, each content once."""
    documents = Document.objects.owned_by(owner_id)
    newer = documents.filter(sha256=OuterRef("sha256"), pk__gt=OuterRef("pk"))
    return list(documents.filter(~Exists(newer)).order_by("-pk")[:MOST_RECENT])
