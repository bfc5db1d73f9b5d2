"""What can be wrong with a user's document. None of it is mended by another try."""

from tasks_app.exceptions import InvalidInput, RetryableError


class DocumentError(InvalidInput):
    """The document itself is at fault.

    Every parameter of a subclass's constructor is JSON and an attribute of the same name: the reader program hands the
    error over as these (`transport.py`).
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, field="file")
        self.message = message


class EmptyFile(DocumentError):
    def __init__(self, name: str) -> None:
        super().__init__(f"“{name}” is empty (0 bytes). Choose a file with text in it.")
        self.name = name


class FileTooLarge(DocumentError):
    """`limit`: bytes. The web answers 413."""

    def __init__(self, name: str, *, limit: int) -> None:
        shown = f"{limit / 2**20:g} MB" if limit >= 2**20 else f"{limit:,} bytes"
        super().__init__(f"“{name}” is too large: a file may have {shown} at most.")
        self.name = name
        self.limit = limit


class UnsupportedFile(DocumentError):
    """`seems`: what the content looks like, as "a PNG image"; `accepted`: what is taken, as "PDF".

    `advice`: a sentence, how it becomes such a file, where that is easy.
    """

    def __init__(self, name: str, *, seems: str, accepted: list[str], advice: str = "") -> None:
        listed = f"{', '.join(accepted[:-1])} and {accepted[-1]}"
        super().__init__(f"“{name}” seems to be {seems}. Accepted are {listed} files. {advice}".rstrip())
        self.name = name
        self.seems = seems
        self.accepted = accepted
        self.advice = advice


class PasswordNeeded(DocumentError):
    """`what`: "PDF", "document"; `wrong`: a password was given and does not fit."""

    def __init__(self, what: str = "document", wrong: bool = False) -> None:
        given = ", and the password does not fit" if wrong else ""
        super().__init__(f"This {what} needs a password to be opened{given}. Enter it when you submit the file.")
        self.what = what
        self.wrong = wrong


class ProtectedPdf(DocumentError):
    def __init__(self) -> None:
        super().__init__("This PDF is protected in a way that cannot be read. Save it without protection.")


class DamagedPdf(DocumentError):
    def __init__(self) -> None:
        super().__init__("This PDF is damaged and cannot be read.")


class NoPages(DocumentError):
    def __init__(self) -> None:
        super().__init__("The document has no pages.")


class TooManyPages(DocumentError):
    def __init__(self, *, pages: int, limit: int) -> None:
        super().__init__(
            f"The document has {pages:,} pages, and {limit:,} at most are accepted. Choose fewer pages, or split it."
        )
        self.pages = pages
        self.limit = limit


class NotAmongPages(DocumentError):
    """None of the `what` ("pages", "parts") that were asked for exists; the document has `count` of them."""

    def __init__(self, *, count: int, what: str = "pages") -> None:
        super().__init__(f"None of the {what} asked for is in the document: it has {count:,}.")
        self.count = count
        self.what = what


class TooManyParts(DocumentError):
    """`limit`: of parts, each of which is a call."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(
            f"The document has so much text that it makes more than {limit:,} parts, which is the limit. "
            "Choose some of its pages, or split it."
        )
        self.limit = limit


class TooMuchText(DocumentError):
    """`limit`: characters."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(
            f"The document holds more than {limit:,} characters of text, which is the limit. "
            "Choose fewer pages, or split it."
        )
        self.limit = limit


class UnknownEncoding(DocumentError):
    def __init__(self) -> None:
        super().__init__("The characters of this text file could not be made out. Save it as UTF-8.")


class NoText(DocumentError):
    """`pages`: how many were looked at."""

    def __init__(self, message: str, *, pages: int) -> None:
        super().__init__(message)
        self.pages = pages


class NotWord(DocumentError):
    """`seems`: what it is instead, as "an Excel workbook", or what is wrong with it."""

    def __init__(self, seems: str) -> None:
        super().__init__(
            f"This is not a Word document that can be read: it seems to be {seems}. Save it as DOCX or PDF."
        )
        self.seems = seems


class DamagedWord(DocumentError):
    def __init__(self) -> None:
        super().__init__("This Word document is damaged and cannot be read. Save it anew and submit it again.")


class UnpacksTooLarge(DocumentError):
    """`limit`: bytes."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(
            f"This Word document unpacks to more than {limit / 2**20:,.0f} MB of text and layout, which is the limit. "
            "Split it."
        )
        self.limit = limit


class Unreadable(DocumentError):
    """Its parser stumbled over it; the cause is in the log only."""

    def __init__(self) -> None:
        super().__init__("The document could not be read: it seems to be damaged. Save it anew and submit it again.")


class ReaderCrashed(DocumentError):
    def __init__(self) -> None:
        super().__init__(
            "The document could not be read: the program that reads documents crashed on it. "
            "Save it anew and submit it again."
        )


class ReaderOutOfMemory(DocumentError):
    """`limit`: bytes."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(
            f"The document could not be read within {limit / 2**20:,.0f} MB of memory, which is the limit. "
            "Choose fewer pages, or split it."
        )
        self.limit = limit


class ReaderTooSlow(DocumentError):
    """`limit`: seconds."""

    def __init__(self, *, limit: float) -> None:
        super().__init__(
            f"The document could not be read within {limit:g} seconds, which is the limit. "
            "Choose fewer pages, or split it."
        )
        self.limit = limit


class ReaderFailed(RetryableError):
    """Not the document's fault: the program could not start, or could not write what it had read."""

    code = "reader_failed"

    def __init__(self) -> None:
        super().__init__("The program that reads documents did not work. Its operator finds the cause in the log.")
