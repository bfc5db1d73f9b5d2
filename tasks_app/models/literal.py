from typing import Any, cast

from django.db.models import TextField, Value


class Literal(Value):
    """A word of ours, written into the statement instead of bound to it.

    SQLite takes a partial index only where it sees that its condition holds, and a bound value it does not see.
    """

    def __init__(self, word: str) -> None:
        if not word.isidentifier():
            raise ValueError(f"expected one word of letters, got {word!r}")
        super().__init__(word, output_field=cast(Any, TextField()))

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:  # noqa: ARG002
        return f"'{self.value}'", ()


def literals(words: tuple[str, ...]) -> list[Literal]:
    return [Literal(word) for word in words]
