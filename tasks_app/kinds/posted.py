"""What a browser sent for the form of a kind, apart from what else the page sent."""

from django.forms import Form
from django.http import QueryDict

from tasks_app.text import clean


def fields_of(form: type[Form], posted: QueryDict) -> QueryDict:
    """The values of the form's own fields, cleaned, for `take_in`."""
    fields = QueryDict(mutable=True)
    for name in form.base_fields:
        if name in posted:
            fields.setlist(name, [clean(str(value)) for value in posted.getlist(name)])
    return fields
