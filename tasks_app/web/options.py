"""What a person may choose for any kind that asks the model, beside the kind's own form."""

from typing import Any

from django import forms
from django.conf import settings

from tasks_app.kinds.task import LonghaulTask


class Options(forms.Form):
    fresh = forms.BooleanField(
        label="Ask the model anew", required=False, widget=forms.CheckboxInput(attrs={"data-more": True})
    )

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        hours = settings.LONGHAUL_REUSE_ANSWERS_HOURS
        span = "hour" if hours == 1 else f"{hours} hours"
        self.fields["fresh"].help_text = (
            f"Otherwise a request that you made in the last {span} is answered with the answer it got then, "
            "without cost."
        )


def has_options(kind: LonghaulTask) -> bool:
    """Whether answers may be reused at all. The kinds of `gpu` are those that ask the model, as far as is known."""
    return settings.LONGHAUL_REUSE_ANSWERS_HOURS > 0 and kind.queue_name == "gpu"
