"""`document.extract`: the text of a document as Markdown. No model is called."""

from typing import Any

from django.tasks import task

from tasks_app.documents.merge import joined_text
from tasks_app.work.context import Context
from tasks_app.work.files import SourceDocument
from tasks_app.work.secrets import Secret

from .document_options import DocumentOptions
from .document_parts import read, tell_unread, unread_pages


# The stubs do not know that a backend may bring arguments of its own.
@task(  # type: ignore[call-overload,untyped-decorator]
    kind="document.extract",
    title="Get the text of a document",
    queue_name="cpu",
    takes_context=True,
    form=DocumentOptions,
)
def extract_document(
    context: Context, *, document: SourceDocument, pages: str = "", password: Secret | None = None
) -> str:
    """The document's text. Items: {"pages": [n, n] or None, "text"}, one for each page with text."""
    context.progress(message="Reading the document")
    found = context.step("extract", extract_pages, context, document, pages, password)
    tell_unread(context, found["unread"])
    context.map("page", _itself, found["pages"])
    text: str = context.step("join", joined_text, [*found["pages"], *found["unread"]])
    return text


def extract_pages(
    context: Context, document: SourceDocument, pages: str, password: Secret | None
) -> dict[str, list[dict[str, Any]]]:
    """{"pages": [{"pages": [n, n] or None, "text"}], "unread": [{"pages", "error"}]}. Raises InvalidInput."""
    found = read(context, document, pages, password)
    return {
        "pages": [
            {"pages": [page.number] * 2 if found.paged else None, "text": page.text}
            for page in found.pages
            if not page.problem
        ],
        "unread": unread_pages(found.pages),
    }


def _itself(page: dict[str, Any]) -> dict[str, Any]:
    return page
