"""A form with a file in it, as bytes."""

import uuid
from collections.abc import Mapping


def multipart(fields: Mapping[str, str], *, content: bytes, name: str) -> tuple[bytes, dict[str, str]]:
    """Body and headers; the file is the field `file`."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in fields.items()
    ]
    disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    parts.append(f"--{boundary}\r\n{disposition}\r\nContent-Type: application/octet-stream\r\n\r\n".encode())
    body = b"".join([*parts, content, f"\r\n--{boundary}--\r\n".encode()])
    return body, {"Content-Type": f"multipart/form-data; boundary={boundary}"}
