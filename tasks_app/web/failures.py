"""What a browser is told when a request itself cannot be taken."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For `handler400`: Django counts what is too large among the bad requests."""
    status = 413 if isinstance(exception, TOO_MUCH) else 400
    return render(request, f"{status}.html", status=status)
