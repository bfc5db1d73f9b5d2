"""The reader program from outside: what it gives, and that nothing that a file does to it reaches us."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest
from pytest_django import Settings

from tasks_app.documents import reader_program, reading
from tasks_app.documents.errors import (
    NoPages,
    NoText,
    PasswordNeeded,
    ReaderCrashed,
    ReaderFailed,
    ReaderOutOfMemory,
    ReaderTooSlow,
    TooManyPages,
    TooMuchText,
    Unreadable,
)
from tasks_app.documents.formats import MARKDOWN, PDF
from tasks_app.documents.pages import Extracted, Page
from tasks_app.documents.ranges import Ranges
from tasks_app.documents.reader import OPEN_FILES
from tasks_app.documents.reading import read_document
from tasks_app.exceptions import AttemptTimeUp, CancelRequested
from tests.support import documents, documents_pdf
from tests.support.programs import wait_until

MEGABYTE = 2**20


class Reading:
    """Reads files in a folder of its own, and looks that nothing of it stays there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def __call__(
        self,
        data: bytes,
        *,
        media_type: str = PDF,
        ranges: Ranges | None = None,
        password: str = "",
        seconds: float = 60,
        keep_going: Callable[[], None] = lambda: None,
    ) -> Extracted:
        path = self.folder / "document"
        path.write_bytes(data)
        try:
            return read_document(
                path,
                media_type=media_type,
                workdir=self.folder,
                ranges=ranges,
                password=password,
                seconds=seconds,
                keep_going=keep_going,
            )
        finally:
            assert list(self.folder.iterdir()) == [path]


@pytest.fixture
def read(tmp_path: Path) -> Reading:
    return Reading(tmp_path / "work")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts another program in the reader's place. It finds its request in `request`."""

    def put(code: str) -> None:
        package = tmp_path / "other" / "tasks_app" / "documents"
        package.mkdir(parents=True)
        begin = "import json, os, signal, sys, time\nrequest = json.load(sys.stdin)\n"
        (package / "reader.py").write_text(begin + textwrap.dedent(code))
        monkeypatch.setattr(reader_program, "ROOT", tmp_path / "other")

    return put


def test_pages_in_ranges_with_title_and_headings_arrive(read: Reading) -> None:
    data = documents_pdf.outlined_pdf("The title", 6, ("Two", 2))
    found = read(data, ranges=[(2, 3), (6, None)])
    assert (found.title, found.paged, found.markdown) == ("The title", True, False)
    assert [(page.number, page.text[:9], page.heading) for page in found.pages] == [
        (2, "PAGE-0002", "Two"),
        (3, "PAGE-0003", "Two"),
        (6, "PAGE-0006", "Two"),
    ]


def test_a_text_in_many_scripts_arrives_whole(read: Reading) -> None:
    text = "# Größe 日本 😀\u2028\r\n\n`a`\t\x1b"
    assert read(text.encode(), media_type=MARKDOWN) == Extracted("", [Page(1, text)], paged=False, markdown=True)


def test_what_is_wrong_with_the_document_is_raised_as_it_was(read: Reading) -> None:
    with pytest.raises(NoPages):
        read(documents.zero_page_pdf())
    with pytest.raises(NoText, match="Pages 1–2: scanned, it seems"):
        read(documents.textless_pdf())


def test_a_password_opens_and_without_it_none_is_opened(read: Reading) -> None:
    data = documents_pdf.locked_pdf(1, "Größe")
    assert len(read(data, password="Größe").pages) == 1
    with pytest.raises(PasswordNeeded):
        read(data)


def test_a_password_is_in_no_list_of_processes(read: Reading, program: Callable[[str], None], tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program(f"""
        from pathlib import Path
        assert request["password"] == "hunter2"
        seen = b"".join(Path(f"/proc/self/{{name}}").read_bytes() for name in ("cmdline", "environ"))
        Path({str(seen)!r}).write_bytes(seen)
    """)
    with pytest.raises(Unreadable):
        read(b"", password="hunter2")
    assert seen.read_bytes()
    assert b"hunter2" not in seen.read_bytes()


def test_nothing_that_is_secret_here_is_known_there(
    read: Reading, program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db/app")
    program("sys.exit(7 if 'DATABASE_URL' in os.environ else 0)")
    with pytest.raises(Unreadable):
        read(b"")


def test_a_file_that_is_gone_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "gone", media_type=PDF, workdir=tmp_path, seconds=9, keep_going=lambda: None)


# Bombs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(partial(documents_pdf.stream_bomb_pdf, 512), id="stream"),
        pytest.param(partial(documents_pdf.stream_bomb_pdf, 1024, layers=3), id="stream packed three times"),
        pytest.param(documents_pdf.laughing_pdf, id="a billion forms"),
        pytest.param(partial(documents_pdf.text_bomb_pdf, 200_000), id="text"),
    ],
)
@pytest.mark.timeout(60)
def test_a_bomb_ends_at_the_limit_of_memory_with_a_helpful_sentence(
    read: Reading, settings: Settings, bomb: Callable[[], bytes]
) -> None:
    settings.LONGHAUL_READER_MEMORY_BYTES = 256 * MEGABYTE
    with pytest.raises(ReaderOutOfMemory, match="within 256 MB of memory, which is the limit"):
        read(bomb())
    assert read(documents.text_pdf("Hello")).pages == [Page(1, "Hello")]


def test_the_least_memory_is_enough_for_200_pages(read: Reading, settings: Settings) -> None:
    settings.LONGHAUL_READER_MEMORY_BYTES = 256 * MEGABYTE
    assert len(read(documents.marker_pdf(200)).pages) == 200


def test_too_many_pages_and_too_much_text_are_refused_by_the_settings(read: Reading, settings: Settings) -> None:
    settings.LONGHAUL_MAX_PAGES = 100
    settings.LONGHAUL_MAX_DOCUMENT_CHARACTERS = 1000
    data = documents_pdf.many_pages_pdf(10_000)
    with pytest.raises(TooManyPages, match="has 10,000 pages, and 100 at most"):
        read(data)
    assert len(read(data, ranges=[(1, 3)]).pages) == 3
    with pytest.raises(TooMuchText, match="more than 1,000 characters"):
        read(documents.text_pdf("Hello " * 200))


# A program that goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", ReaderCrashed, "the program that reads documents crashed on it"),
        ("os.kill(os.getpid(), signal.SIGKILL)", ReaderCrashed, "crashed"),
        ("os.abort()", ReaderOutOfMemory, "1,024 MB of memory"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", ReaderTooSlow, "within 120 seconds"),
        ("sys.exit(1)", ReaderFailed, "did not work"),
        ("raise OSError(28, 'No space left on device')", ReaderFailed, "did not work"),
        ("pass", Unreadable, "could not be read"),
        ("open(request['result'], 'w').write('[[[')", Unreadable, "could not be read"),
        ("os.unlink(request['result'])", Unreadable, "could not be read"),
    ],
)
def test_every_end_has_its_error(
    read: Reading, program: Callable[[str], None], code: str, error: type[Exception], words: str
) -> None:
    program(code)
    with pytest.raises(error, match=words) as caught:
        read(b"")
    assert "Error" not in str(caught.value)


def test_what_a_parser_raises_is_in_the_log_and_not_in_the_sentence(
    read: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Unreadable) as caught:
        read(b"", media_type="application/x-unheard-of")
    assert "KeyError" in caplog.text
    assert "KeyError" not in str(caught.value)


def test_only_the_end_of_what_it_says_is_kept(
    read: Reading, program: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    program("sys.stderr.write('x' * 5_000_000 + 'the end'); sys.exit(1)")
    with pytest.raises(ReaderFailed):
        read(b"")
    assert "the end" in caplog.text
    assert len(caplog.text) < 20_000


SLEEP = "time.sleep(600)"


def test_the_limit_of_time_is_the_documents_fault(
    read: Reading, program: Callable[[str], None], settings: Settings
) -> None:
    settings.LONGHAUL_READER_SECONDS = 1.5
    program(SLEEP)
    begun = monotonic()
    with pytest.raises(ReaderTooSlow, match=r"within 1\.5 seconds, which is the limit"):
        read(b"")
    assert 1.4 < monotonic() - begun < 45


def test_the_end_of_the_attempts_time_is_not(read: Reading, program: Callable[[str], None]) -> None:
    program(SLEEP)
    with pytest.raises(AttemptTimeUp):
        read(b"", seconds=1)


def test_a_program_that_closes_its_mouth_and_stays_is_ended(read: Reading, program: Callable[[str], None]) -> None:
    program("os.close(2); " + SLEEP)
    begun = monotonic()
    with pytest.raises(ReaderCrashed):
        read(b"")
    assert monotonic() - begun < 60


# Its life ends with ours --------------------------------------------------------------------------------


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_stop_ends_the_program_within_a_second(read: Reading, program: Callable[[str], None], tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program(f"open({str(pid)!r}, 'w').write(f'{{os.getpid()}}\\n'); {SLEEP}")
    looks: list[float] = []

    def keep_going() -> None:
        looks.append(monotonic())
        if pid.exists() and pid.read_text().endswith("\n"):
            raise CancelRequested

    with pytest.raises(CancelRequested):
        read(b"", keep_going=keep_going)
    assert not alive(int(pid.read_text()))
    assert all(later - earlier < 15 for earlier, later in pairwise(looks))


CHILD = """
import os, sys
from pathlib import Path
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
from tasks_app.documents.reading import read_document
path = Path(sys.argv[1])
read_document(path, media_type="text/plain", workdir=path.parent, seconds=600, keep_going=lambda: None)
"""


def test_it_does_not_outlive_a_child_that_is_killed_alone(tmp_path: Path) -> None:
    """The real program, held up as it reads: a pipe that nobody writes to stands in the document's place."""
    pipe = tmp_path / "document"
    os.mkfifo(pipe)
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(pipe)], cwd=Path(__file__).parents[2])
    try:
        reader = wait_until(lambda: readers_of(child.pid))
        child.send_signal(signal.SIGKILL)
        child.wait()
        wait_until(lambda: not alive(reader[0]))
    finally:
        child.kill()
        child.wait()


def readers_of(parent: int) -> list[int]:
    """Ids of the reader programs started by `parent` that have read their request: their limits stand."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [pid for pid in map(int, children) if resource.prlimit(pid, resource.RLIMIT_NOFILE)[0] == OPEN_FILES]


def test_a_signal_to_all_programs_of_a_service_does_not_end_it() -> None:
    program = subprocess.Popen([sys.executable, "-m", "tasks_app.documents.reader"], stdin=subprocess.PIPE)
    wait_until(lambda: ignores(program.pid, signal.SIGTERM), 10)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        program.send_signal(number)
    program.communicate(b"no request")
    assert program.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_from_outside_is_no_fault_of_the_document(number: signal.Signals) -> None:
    with pytest.raises(ReaderFailed):
        reading._judge(reader_program.End(-number, ""), memory=1, seconds=1)


def ignores(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(mask, 16) >> (number - 1) & 1)
