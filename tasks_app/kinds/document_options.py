"""The fields of every kind that reads a document."""

from django import forms

from tasks_app.documents.ranges import parse_ranges

TRY_FIRST = "1-3"


class DocumentOptions(forms.Form):
    pages = forms.CharField(
        label="Which pages",
        max_length=200,
        required=False,
        help_text="For example 1-20, 35. Empty: all. Of a document without pages, its parts are counted.",
        widget=forms.TextInput(attrs={"placeholder": "All", "data-more": True}),
    )
    # A widget for passwords makes a field a secret: it is encrypted, and kept only until the task ends.
    password = forms.CharField(
        label="Password of the document",
        max_length=200,
        required=False,
        strip=False,
        help_text="Only for a document that needs one. It is kept encrypted, until the task ends.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "data-more": True}),
    )

    def clean_pages(self) -> str:
        text: str = self.cleaned_data["pages"].strip()
        try:
            parse_ranges(text)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return text
