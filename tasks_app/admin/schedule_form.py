"""The form of a schedule: what is wrong is said in words beside its field."""

from typing import Any

from django import forms

from tasks_app.kinds.scheduled import schedulable_kinds
from tasks_app.models import Schedule
from tasks_app.schedules.checks import problems

ZONES = "zones"
SPAN = "Hours, minutes and seconds, for example 00:05:00 for five minutes; days before them, as 1 00:00:00."
BAD_SPAN = "This is no length of time; expected for example 00:05:00 for five minutes, or 1 00:00:00 for a day."
BAD_JSON = 'This is not JSON; expected fields by name, for example {"instruction": "Summarise"}.'
# A mistake in one of these says nothing yet of the others.
TOGETHER = ({"cron", "interval", "time_zone", "ends_at"}, {"kind", "input", "owner"}, {"catch_up"}, {"jitter"})


class InputField(forms.JSONField):
    def prepare_value(self, value: Any) -> Any:
        # Half of a surrogate pair cannot be sent to a browser, not even to say that it is wrong.
        return super().prepare_value(value).encode(errors="replace").decode()


class ScheduleForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Schedule
        fields = (
            *("name", "kind", "input", "owner"),
            *("cron", "interval", "time_zone", "overlap", "catch_up", "jitter", "paused", "ends_at"),
        )
        field_classes = {"input": InputField}
        widgets = {
            "cron": forms.TextInput(attrs={"class": "vTextField", "placeholder": "30 7 * * MON-FRI"}),
            "interval": forms.TextInput(attrs={"placeholder": "00:05:00"}),
            "time_zone": forms.TextInput(attrs={"class": "vTextField", "list": ZONES}),
            "input": forms.Textarea(attrs={"class": "vLargeTextField", "rows": 4}),
        }
        help_texts = {
            "kind": "Only kinds that need no document.",
            "cron": "Five fields: minute hour day month weekday. Or an interval, below.",
            "interval": f"Instead of a cron expression, counted from midnight UTC of 1 January 1970. {SPAN}",
            "catch_up": (
                "Due times missed by no more than this are made up for; older ones are missed. "
                f"The newest may be a minute late besides. {SPAN}"
            ),
            "jitter": f"Its tasks start up to so much later, at random. {SPAN}",
        }
        error_messages = {name: {"invalid": BAD_SPAN} for name in ("interval", "catch_up", "jitter")} | {
            "input": {"invalid": BAD_JSON}
        }

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        # Who may only look gets a form without fields.
        if "kind" in self.fields:
            self.fields["kind"].widget = forms.Select(choices=self._kinds())

    def _kinds(self) -> list[tuple[str, str]]:
        kinds = {kind.kind: f"{kind.kind}: {kind.title}" for kind in schedulable_kinds()}
        if self.instance.kind not in kinds and self.instance.kind:
            kinds[self.instance.kind] = f"{self.instance.kind} (not known here)"
        return [("", "Choose a kind"), *kinds.items()]

    def clean_input(self) -> Any:
        given = self.cleaned_data["input"]
        return {} if given is None else given

    def validate_constraints(self) -> None:
        # Those of the table are among them, in words and beside a field.
        known = set(self.errors)
        for field, texts in problems(self.instance).items():
            if not any(known & group for group in TOGETHER if field in group):
                for text in texts:
                    self.add_error(field, text)
