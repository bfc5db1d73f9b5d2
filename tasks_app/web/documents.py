"""The documents that a user uploaded before, to be used again."""

from uuid import UUID

from tasks_app.models import Document

MOST_RECENT = 8
LOOKED_AT = 200


def own_document(owner_id: int, text: str | None) -> Document | None:
    """The owner's document with that id. An unknown one, a stranger's and what is no id at all are none."""
    try:
        return Document.objects.owned_by(owner_id).filter(pk=UUID(text)).first() if text else None
    except ValueError:
        return None


def recent_documents(owner_id: int) -> list[Document]:
    """The newest first, each content once."""
    by_content: dict[str, Document] = {}
    # Looked at here: a user with the same content many times over costs a database the square of it.
    for document in Document.objects.owned_by(owner_id).order_by("-pk")[:LOOKED_AT]:
        by_content.setdefault(document.sha256, document)
    return list(by_content.values())[:MOST_RECENT]
