"""Values that are kept: canonical JSON, hashes, and files for those that are large."""

import hashlib
import json
from functools import partial
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder

from tasks_app.exceptions import NotJson
from tasks_app.text import clean_json

# Of a text that lies in a file, and of what stands beside it.
PREVIEW_CHARACTERS = 16 * 1024
SMALL_CHARACTERS = 1000


def canonical(value: Any) -> str:
    """The one JSON text of a value. Raises NotJson."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_fingerprint)
    except (TypeError, ValueError) as error:
        raise NotJson(f"Expected JSON (dict, list, str, number, bool, None), got: {error}") from error


def _fingerprint(value: Any) -> Any:
    """What stands in a step's key for something that is not JSON itself."""
    if isinstance(value, partial):
        return [value.args, value.keywords]
    if hasattr(value, "step_key"):
        return value.step_key
    raise TypeError(f"{type(value).__name__} is not JSON")


def digest(*parts: Any) -> str:
    return hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()


def as_json(value: Any) -> Any:
    """The value as it will be read back: tuples are lists, and text can be stored anywhere. Raises NotJson."""
    try:
        return clean_json(json.loads(json.dumps(value)))
    except (TypeError, ValueError) as error:
        raise NotJson(f"What a step or a kind returns must be JSON (dict, list, str, number, bool): {error}") from error


def form_as_json(cleaned: Any) -> Any:
    """Cleaned data of a form as its kind gets it: a date, a time or a UUID is its ISO text, a decimal its digits."""
    return as_json(json.loads(json.dumps(cleaned, cls=DjangoJSONEncoder)))


def preview(value: Any) -> Any:
    """The beginning of a large value, to be shown without opening its file: where it has a text, else None."""
    if isinstance(value, str):
        return value[:PREVIEW_CHARACTERS]
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None
    small = {name: one for name, one in value.items() if name != "text" and len(canonical(one)) <= SMALL_CHARACTERS}
    return {**small, "text": value["text"][:PREVIEW_CHARACTERS]}


def stored(value: Any, *, name: str) -> dict[str, Any]:
    """Columns of a StoredValue. `name`: of its file, with the attempt's number in it, should it be large."""
    data = json.dumps(value, ensure_ascii=False).encode()
    columns = {
        "value": value,
        "value_file": "",
        "value_size": len(data),
        "value_sha256": hashlib.sha256(data).hexdigest(),
    }
    if len(data) > settings.LONGHAUL_INLINE_RESULT_BYTES:
        columns |= {"value": None, "value_file": default_storage.save(f"results/{name}.json", ContentFile(data))}
    return columns
