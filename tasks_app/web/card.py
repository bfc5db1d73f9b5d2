"""The card that submits: the form of one kind, whichever it is, and what belongs around it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.forms import Form
from django.http import QueryDict

from tasks_app.kinds import registry
from tasks_app.kinds.document_options import DocumentOptions
from tasks_app.kinds.posted import fields_of
from tasks_app.kinds.task import LonghaulTask
from tasks_app.models import Document

from .access import UserRequest
from .documents import own_document, recent_documents
from .fields import ShownField
from .options import Options, has_options


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a submission was not taken: sentences by field ("" for none of them), and the HTTP status.

    `retry_after_seconds`: when it may be; 0: whenever it is right.
    """

    errors: dict[str, list[str]] = field(default_factory=dict)
    status: int = 200
    retry_after_seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`chosen`: the document of those uploaded before that is to be used. `recent`: it and the others, newest first.

    `options`: what may be chosen beside the kind's form. `wanted`: the field that somebody was sent here to fill in.
    """

    kind: LonghaulTask
    form: Form
    chosen: Document | None
    recent: list[Document]
    refusal: Refusal
    options: Options | None = None
    wanted: str = ""

    @property
    def kinds(self) -> list[LonghaulTask]:
        return registry.submittable_kinds()

    @property
    def fields(self) -> list[ShownField]:
        return [one for one in self._shown if not one.is_more]

    @property
    def more(self) -> list[ShownField]:
        return [one for one in self._shown if one.is_more]

    @property
    def is_more_open(self) -> bool:
        return any(one.holds_something or one.bound.name == self.wanted for one in self.more)

    @property
    def can_try_first(self) -> bool:
        return self.kind.takes_document and reads_pages(self.kind)

    @property
    def file_errors(self) -> list[str]:
        return [text for name in ("file", "document") for text in self.refusal.errors.get(name, [])]

    @property
    def other_errors(self) -> list[str]:
        """Those that stand beside no field."""
        placed = {*self.form.fields, *(("file", "document") if self.kind.takes_document else ())}
        return [text for name, texts in self.refusal.errors.items() if name not in placed for text in texts]

    @property
    def _shown(self) -> list[ShownField]:
        return [ShownField(bound) for form in (self.form, self.options) if form is not None for bound in form]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What a browser sent. A file that was just chosen goes before a document of earlier."""

    kind: str
    fields: QueryDict
    file: UploadedFile[Any] | None
    document: Document | None
    fresh: bool = False


def reads_pages(kind: LonghaulTask | None) -> bool:
    return kind is not None and kind.form is not None and issubclass(kind.form, DocumentOptions)


def kind_named(name: str | None) -> LonghaulTask:
    """The submittable kind of that name, else the first."""
    kinds = registry.submittable_kinds()
    return next((kind for kind in kinds if kind.kind == name), kinds[0])


def form_class(kind: LonghaulTask) -> type[Form]:
    return kind.form or Form


def empty_card(request: UserRequest, refusal: Refusal | None = None) -> Card:
    """As the address asks for it: `?kind= &document= &fresh= &wanted=` and values of fields, but no secrets."""
    kind = kind_named(request.GET.get("kind"))
    form = form_class(kind)
    plain = [name for name in form.base_fields if name in request.GET and name not in kind.secret_fields]
    document = own_document(request.user.pk, request.GET.get("document"))
    begun = form(initial={name: request.GET[name] for name in plain})
    card = _card(request, kind, begun, document, refusal or Refusal())
    options = Options(initial={"fresh": "fresh" in request.GET}) if has_options(kind) else None
    return replace(card, options=options, wanted=request.GET.get("wanted", ""))


def refused_card(request: UserRequest, sent: Sent, refusal: Refusal) -> Card:
    """As it was sent, with what is wrong."""
    kind = kind_named(sent.kind)
    card = _card(request, kind, form_class(kind)(data=sent.fields), sent.document, refusal)
    return replace(card, options=Options(data=request.POST) if has_options(kind) else None)


def sent_by(request: UserRequest) -> Sent:
    kind = request.POST.get("kind") or kind_named(None).kind
    file = request.FILES.get("file")
    document = None if file else own_document(request.user.pk, request.POST.get("document"))
    fields = fields_of(form_class(kind_named(kind)), request.POST)
    fresh = bool(Options(data=request.POST)["fresh"].value())
    return Sent(kind=kind, fields=fields, file=file, document=document, fresh=fresh)


def _card(request: UserRequest, kind: LonghaulTask, form: Form, document: Document | None, refusal: Refusal) -> Card:
    recent = recent_documents(request.user.pk) if kind.takes_document else []
    chosen = document if kind.takes_document else None
    if chosen is not None:
        recent = [chosen, *(one for one in recent if one.sha256 != chosen.sha256)]
    return Card(kind=kind, form=form, chosen=chosen, recent=recent, refusal=refusal)
