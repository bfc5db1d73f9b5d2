"""The one entrance for text that comes from outside: documents, the endpoint, file names, error messages."""

import re
import unicodedata
from math import isfinite
from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
LIGATURE = re.compile("[\ufb00-\ufb06]")
SPACING = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def clean(text: str) -> str:
    """`text` with each NUL and each lone half of a surrogate pair as U+FFFD, and each ligature as its letters.

    PostgreSQL refuses NUL, and half a pair cannot be encoded at all. The two halves of one character that
    stand side by side (cut apart by a stream) become that character. Nothing else changes: NFKC as a whole would
    turn "x²" into "x2".
    """
    # So that words are found and the model knows them.
    text = LIGATURE.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text)
    if not UNSTORABLE.search(text):
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", REPLACEMENT)


def clean_json(value: Any) -> Any:
    """A JSON value with every text in it cleaned. Raises ValueError for a number that is not finite: JSON has none."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_json(element) for element in value]
    if isinstance(value, dict):
        return {clean(name): clean_json(element) for name, element in value.items()}
    return _clean_number(value) if isinstance(value, float) else value


def _clean_number(value: float) -> float:
    """As PostgreSQL gives it back: it stores 1e16 as a whole number and knows no negative zero."""
    if not isfinite(value):
        raise ValueError("it holds a number that is not finite")
    return int(value) if abs(value) >= 1e16 and value.is_integer() else value + 0.0


def shorten(text: str, limit: int) -> str:
    """The first `limit` characters at most; a cut is shown by an ellipsis, which counts."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def without(secret: str, text: str) -> str:
    """`text` with stars for the secret, also where it stands as Python writes a string or bytes.

    Short ones are no pattern.
    """
    shown = {secret, secret.strip(), repr(secret)[1:-1]}
    for form in sorted(shown, key=len, reverse=True):
        text = text.replace(form, "***") if len(form) >= 8 else text
    return text


def one_line(text: str) -> str:
    """`text`, cleaned, on one line: each stretch of white space and control characters is one space."""
    return SPACING.sub(" ", clean(text)).strip()
