"""The input of `document.generate`, for page, API and admin."""

from typing import Any

from django import forms
from django.conf import settings

from .document_options import DocumentOptions

PRESETS = {
    "summarise": "Summarise this text in two or three sentences.",
    "translate": "Translate this text into {language}. Give the translation only.",
    "key_points": "List the key points of this text, one short line each.",
    "questions": "Write three questions that this text answers, each followed by its answer.",
}


class DocumentForm(DocumentOptions):
    preset = forms.ChoiceField(
        label="What should be done with it?",
        choices=[
            ("summarise", "Summarise"),
            ("translate", "Translate"),
            ("key_points", "Extract key points"),
            ("questions", "Questions and answers"),
            ("own", "Your own instruction"),
        ],
        required=False,
        initial="summarise",
        widget=forms.RadioSelect,
    )
    language = forms.CharField(
        label="Into which language?",
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "German", "data-only": "preset=translate", "data-needed": True}),
    )
    instruction = forms.CharField(
        label="Your instruction",
        required=False,
        help_text="It goes to the model with the text of each page or chunk, so write it for one of them.",
        widget=forms.Textarea(attrs={"rows": 3, "data-only": "preset=own", "data-needed": True}),
    )
    unit = forms.ChoiceField(
        label="One answer for",
        choices=[("page", "Each page"), ("chunk", "Each chunk of text"), ("whole", "The whole document")],
        required=False,
        initial="page",
        help_text="The whole: each page is answered, and the answers are combined until there is one.",
        widget=forms.RadioSelect,
    )
    with_context = forms.BooleanField(
        label="Tell the model the document's title and the section with each part",
        required=False,
        widget=forms.CheckboxInput(attrs={"data-more": True}),
    )

    field_order = ("preset", "language", "instruction", "unit", "pages", "with_context", "password")

    def clean_unit(self) -> str:
        return self.cleaned_data["unit"] or "page"

    def clean_preset(self) -> str:
        # A program that sends an instruction alone means that instruction.
        return self.cleaned_data["preset"] or "own"

    def clean_instruction(self) -> str:
        text: str = self.cleaned_data["instruction"].strip()
        limit = settings.LONGHAUL_MAX_INSTRUCTION_CHARACTERS
        if len(text) > limit:
            raise forms.ValidationError(f"The instruction has {len(text)} characters; at most {limit} are possible.")
        return text

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        preset = values.get("preset")
        if preset == "own" and "instruction" in values and not values["instruction"]:
            self.add_error("instruction", "Write what should be done with each page, or choose one of the tasks above.")
        if preset == "translate" and "language" in values and not values["language"].strip():
            self.add_error("language", "Name the language to translate into.")
        if preset == "translate" and values.get("unit") == "whole":
            self.add_error("unit", "Translations are made page by page or chunk by chunk: they cannot be combined.")
        return values


def instruction_text(*, preset: str, language: str, instruction: str) -> str:
    """The sentence that goes to the endpoint."""
    if preset == "own":
        return instruction
    return PRESETS[preset].format(language=language)
