from tasks_app.exceptions import Unavailable


class FailsForEveryone(Unavailable):
    """The model endpoint answers nobody: one call at a time tries whether it is back. `since_seconds`: for how long."""

    code = "endpoint_down"

    def __init__(self, *, since_seconds: float, last: str = "") -> None:
        super().__init__(last or "The model endpoint fails for everyone. One call at a time tries whether it is back.")
        self.since_seconds = since_seconds
