from tasks_app.exceptions import LonghaulError


class Refused(LonghaulError):
    """A socket that is not opened. `code`: of the close; a server turns it into the handshake's answer 403."""

    code = "refused"

    def __init__(self, reason: str, *, code: int) -> None:
        super().__init__(f"The socket is refused: {reason}.")
        self.reason = reason
        self.close_code = code


class Gone(LonghaulError):
    """What a socket watches does not exist, or is not this user's: which of them, is not told."""

    code = "gone"

    def __init__(self) -> None:
        super().__init__("There is no such task of this user.")
