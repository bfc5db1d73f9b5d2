"""A kind as a newcomer writes it, and one that uses all that the card knows."""

from typing import Any

from django import forms


class LettersForm(forms.Form):
    title = forms.CharField(max_length=80)
    copies = forms.IntegerField(min_value=1, max_value=20, initial=3, help_text="Between 1 and 20.")
    tone = forms.ChoiceField(choices=[("plain", "Plain"), ("formal", "Formal")])
    topics = forms.MultipleChoiceField(
        choices=[("sea", "The sea"), ("sky", "The sky")], required=False, widget=forms.CheckboxSelectMultiple
    )
    country = forms.ChoiceField(choices=[(str(number), f"Country {number}") for number in range(30)])
    signed = forms.BooleanField(required=False)
    signature = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"data-only": "tone=formal", "data-needed": True})
    )
    remark = forms.CharField(required=False, widget=forms.Textarea(attrs={"data-more": True}))
    pin = forms.CharField(required=False, widget=forms.PasswordInput(attrs={"data-more": True}))


def write_letters(**fields: Any) -> None:
    """Never performed here."""
