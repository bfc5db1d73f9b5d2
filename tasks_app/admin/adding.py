"""A task that an operator submits: any kind with a form, by the road that every submission takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.helpers import AdminForm
from django.contrib.admin.widgets import ForeignKeyRawIdWidget
from django.contrib.auth import get_user_model
from django.http import HttpRequest, QueryDict

from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import take_in
from tasks_app.kinds.posted import fields_of
from tasks_app.kinds.registry import submittable_kinds
from tasks_app.kinds.task import LonghaulTask
from tasks_app.lifecycle.quota import QuotaExceeded
from tasks_app.lifecycle.submit import Submission
from tasks_app.models import Task


class EnvelopeForm(forms.Form):
    """What belongs to a submission of every kind; the document only to kinds that take one."""

    owner = forms.ModelChoiceField(
        queryset=get_user_model().objects.all(),
        help_text="The id of the user whose task it is: it shows on that user's page, and takes one of their slots.",
    )
    file = forms.FileField(required=False, allow_empty_file=True)
    document = forms.UUIDField(
        required=False, label="Or a document", help_text="The id of one that this user uploaded before."
    )
    fresh = forms.BooleanField(
        required=False,
        label="Ask the model anew",
        help_text="Otherwise a request that this user made lately is answered with the answer it got then, unpaid.",
    )

    prefix = "task"

    def __init__(self, kind: LonghaulTask, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        relation: Any = Task._meta.get_field("owner").remote_field
        self.fields["owner"].widget = ForeignKeyRawIdWidget(relation, admin.site)
        if not kind.takes_document:
            del self.fields["file"], self.fields["document"]
        if not settings.LONGHAUL_REUSE_ANSWERS_HOURS:
            del self.fields["fresh"]


@dataclass(frozen=True, slots=True)
class Adding:
    """One kind's form, and the envelope around it."""

    kind: LonghaulTask
    envelope: EnvelopeForm
    form: forms.Form

    @property
    def kinds(self) -> list[LonghaulTask]:
        return submittable_kinds()

    @property
    def media(self) -> forms.Media:
        return self.envelope.media + self.form.media

    @property
    def errors(self) -> list[str]:
        return [*self.envelope.errors, *self.form.errors]

    def take(self) -> Submission | None:
        """The submission; None, and sentences beside the fields, where something is wrong."""
        if not self.form.is_valid() or not self.envelope.is_valid():
            return None
        sent = self.envelope.cleaned_data
        fields: Any = self.form.data
        try:
            return take_in(
                kind=self.kind.kind,
                owner=sent["owner"],
                fields=fields,
                file=sent.get("file"),
                document_id=sent.get("document"),
                fresh=sent.get("fresh", False),
            )
        except InvalidInput as error:
            place = error.field if error.field in self.envelope.fields else None
            self.envelope.add_error(place, str(error))
        except QuotaExceeded as error:
            self.envelope.add_error("owner", str(error))
        return None


def adding(request: HttpRequest) -> Adding:
    """As the request has it: `?kind=`, by default the first, and what was posted."""
    kinds = submittable_kinds()
    kind = next((one for one in kinds if one.kind == request.GET.get("kind")), kinds[0])
    form = kind.form or forms.Form
    if request.method != "POST":
        return Adding(kind, EnvelopeForm(kind, initial={"owner": request.user.pk}), form())
    posted: QueryDict = fields_of(form, request.POST)
    return Adding(kind, EnvelopeForm(kind, request.POST, request.FILES), form(data=posted))


def admin_form(form: forms.Form, model_admin: admin.ModelAdmin[Task]) -> AdminForm:
    # It asks of a form only what every form has.
    some_form: Any = form
    return AdminForm(some_form, [(None, {"fields": list(form.fields)})], {}, model_admin=model_admin)
