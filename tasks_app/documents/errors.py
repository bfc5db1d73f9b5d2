"""What can be wrong with a user's document. None of it is mended by another try."""

from tasks_app.exceptions import InvalidInput


class DocumentError(InvalidInput):
    """The document itself is at fault."""

    def __init__(self, message: str) -> None:
        super().__init__(message, field="file")


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
    """`seems`: what the content looks like, as "a PNG image"; `accepted`: what is taken, as "PDF"."""

    def __init__(self, name: str, *, seems: str, accepted: list[str]) -> None:
        listed = f"{', '.join(accepted[:-1])} and {accepted[-1]}"
        super().__init__(f"“{name}” seems to be {seems}. Accepted are {listed} files.")
        self.name = name
        self.seems = seems
        self.accepted = accepted


class PasswordNeeded(DocumentError):
    def __init__(self) -> None:
        super().__init__("This PDF needs a password to be opened. Save it without a password and submit it again.")


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
        super().__init__(f"The document has {pages:,} pages, and {limit:,} at most are accepted. Split it.")
        self.pages = pages
        self.limit = limit


class UnknownEncoding(DocumentError):
    def __init__(self) -> None:
        super().__init__("The characters of this text file could not be made out. Save it as UTF-8.")


class NoText(DocumentError):
    """`pages`: how many were looked at."""

    def __init__(self, message: str, *, pages: int) -> None:
        super().__init__(message)
        self.pages = pages
