"""Signing in, in the words of the page."""

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "Please enter a correct user name and password. Capital and small letters differ in both.",
    }
