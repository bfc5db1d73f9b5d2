"""The uploaded file on its way from the web to the worker (C50)."""

from pathlib import Path

from tasks_app.models import ApiToken, Attempt, Outcome
from tests.road.conftest import Road, free_port, serve
from tests.support.client import ApiClient
from tests.support.documents import PROSE, marker_pdf

# Above what Django keeps in memory, so that the upload goes through a temporary file.
LARGE = (PROSE * 20_000).encode()


def uploads(road: Road) -> list[Path]:
    return [path for path in (road.house.folder / "files" / "documents").iterdir() if path.is_file()]


def test_an_upload_that_is_gone_before_the_worker_comes_is_said_once(road: Road) -> None:
    extracted = road.api.submit(marker_pdf(3), name="gone.pdf", kind="document.extract")
    ids = [road.submit(marker_pdf(3), name="gone.pdf"), extracted.json["id"]]
    for upload in uploads(road):
        upload.unlink()
    worker = road.house.ready_worker("gpu", "cpu")
    road.house.scheduler()
    for task_id in ids:
        task = road.wait_for_end(task_id)
        assert (task["status"], task["error"]["code"]) == ("failed", "invalid_input")
        assert "“gone.pdf” is missing from the store" in task["error"]["message"]
    assert [attempt.outcome for attempt in Attempt.objects.all()] == [Outcome.ERROR] * 2
    assert road.house.endpoint.calls == []
    assert "Traceback" not in worker.said
    assert road.wait_for_end(road.submit(marker_pdf(1)))["status"] == "succeeded"


def test_web_and_worker_need_no_temporary_folder_in_common(road: Road, tmp_path: Path) -> None:
    of_web, of_worker = tmp_path / "web", tmp_path / "worker"
    of_web.mkdir()
    of_worker.mkdir()
    base = serve(road.house, free_port(), TMPDIR=str(of_web))
    api = ApiClient(base, ApiToken.issue(road.user.pk))
    road.house.ready_worker("cpu", TMPDIR=str(of_worker))
    answer = api.submit(LARGE, name="large.txt", kind="document.extract")
    assert road.wait_for_end(answer.json["id"])["status"] == "succeeded"
    assert road.merged(answer.json["id"]).strip() == LARGE.decode().strip()
    assert list(of_web.iterdir()) == list(of_worker.iterdir()) == []


def test_an_upload_outlives_the_web_process_that_took_it(road: Road) -> None:
    task_id = road.submit(marker_pdf(2))
    (web,) = [program for program in road.house.programs if program.name == "web"]
    web.kill()
    serve(road.house, int(road.api.base.rpartition(":")[2]))
    road.house.ready_worker("gpu")
    road.house.scheduler()
    assert road.wait_for_end(task_id)["status"] == "succeeded"
