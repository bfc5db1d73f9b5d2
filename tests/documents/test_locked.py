"""Office documents with a password."""

import time
from pathlib import Path

import pytest

from tasks_app.documents.errors import DamagedWord, NotWord, PasswordNeeded
from tasks_app.documents.formats import LOCKED_OFFICE
from tests.support import documents
from tests.support.documents_office import locked, p, word, workbook

from .reading import read

SECRET = "pass wörd 密码"
LOCKED = locked(word(p("Hello") * 200, title="Secret"), SECRET)


def test_the_password_opens_it(tmp_path: Path) -> None:
    extracted = read(tmp_path, LOCKED, LOCKED_OFFICE, password=SECRET)
    assert extracted.title == "Secret"
    assert extracted.pages[0].text.startswith("Hello\n\nHello")


def test_without_a_password_it_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(PasswordNeeded, match=r"needs a password to be opened\. Enter it when you submit") as caught:
        read(tmp_path, LOCKED, LOCKED_OFFICE)
    assert not caught.value.wrong


def test_a_wrong_password_is_told(tmp_path: Path) -> None:
    with pytest.raises(PasswordNeeded, match="the password does not fit") as caught:
        read(tmp_path, LOCKED, LOCKED_OFFICE, password="wrong")
    assert caught.value.wrong


def test_what_is_no_word_document_inside_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotWord, match="an Excel workbook"):
        read(tmp_path, locked(workbook(), SECRET), LOCKED_OFFICE, password=SECRET)


def test_a_container_that_only_speaks_of_encryption_is_refused(tmp_path: Path) -> None:
    data = LOCKED.replace("EncryptionInfo".encode("utf-16-le"), "EncryptionOhno".encode("utf-16-le"))
    with pytest.raises(NotWord, match="no password opens"):
        read(tmp_path, data, LOCKED_OFFICE, password=SECRET)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(LOCKED[: len(LOCKED) // 2], id="half of one"),
        pytest.param(documents.ole(), id="nothing but the beginning"),
        pytest.param(LOCKED.replace(b"<keyData ", b"<keyData<"), id="broken XML in it"),
        pytest.param(LOCKED.replace(b"<keyData ", b"<keyDate "), id="no key in it"),
        pytest.param(LOCKED.replace(b'hashAlgorithm="SHA512"', b'hashAlgorithm="SHA999"'), id="an unknown hash"),
    ],
)
def test_a_damaged_container_gives_a_document_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises((DamagedWord, NotWord)):
        read(tmp_path, data, LOCKED_OFFICE, password=SECRET)


def test_a_container_that_would_hash_for_hours_is_refused(tmp_path: Path) -> None:
    # As long as before: spaces between attributes may go.
    data = LOCKED.replace(b'spinCount="100000" saltSize="16" ', b'spinCount="99999999" saltSize="9"')
    assert (len(data), data.count(b"99999999")) == (len(LOCKED), 1)
    began = time.monotonic()
    with pytest.raises(DamagedWord):
        read(tmp_path, data, LOCKED_OFFICE, password=SECRET)
    assert time.monotonic() - began < 30
