import logging

# What any stranger can provoke, as often as he likes.
PROVOKED = ("DisallowedHost", "RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent")


class OneLine(logging.Filter):
    """Leaves the stack out of a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True
