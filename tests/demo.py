"""`make demo`: drives a fresh `make run` as a new user would, and keeps pictures, files and logs under demo/."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.browser import PHONE, Visitor, chromium, results, state, whole
from tests.support.client import ApiClient
from tests.support.documents import story_pdf
from tests.support.programs import PROJECT, wait_until

DEMO = PROJECT / "demo"
README_PICTURE = PROJECT / "docs" / "task-page.png"
PAGES = 12
# The embedded model takes a few seconds a page on two cores.
PATIENCE_SECONDS = 300


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class FreshStart:
    """`make run` with an empty var/ of its own."""

    def __init__(self) -> None:
        self.var = DEMO / "var"
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = DEMO / "make-run.log"
        self.environment = os.environ | {
            "LONGHAUL_VAR_DIR": str(self.var),
            "PORT": str(self.port),
            "LONGHAUL_EMBEDDED_MODEL_PORT": str(free_port()),
        }

    def __enter__(self) -> "FreshStart":
        began = time.monotonic()
        with self.log.open("wb") as out:
            self._make = subprocess.Popen(
                ["make", "run"], cwd=PROJECT, env=self.environment, stdout=out, stderr=out, start_new_session=True
            )
        wait_until(lambda: "Longhaul is ready" in self.log.read_text(), 120, what="make run is ready")
        say(f"ready after {time.monotonic() - began:.1f} s at {self.base}")
        return self

    def __exit__(self, *_: object) -> None:
        began = time.monotonic()
        os.killpg(self._make.pid, signal.SIGINT)
        self._make.wait(90)
        left = [line for line in self._processes() if str(self.var) in line]
        say(f"Ctrl-C: ended after {time.monotonic() - began:.1f} s, processes left: {len(left)}")

    @staticmethod
    def _processes() -> list[str]:
        listing = subprocess.run(["ps", "axeww", "-o", "pid,args"], capture_output=True, text=True, check=True)
        return [line for line in listing.stdout.splitlines() if "LONGHAUL_VAR_DIR=" in line and "ps axeww" not in line]

    def password(self, name: str) -> str:
        kept: dict[str, str] = json.loads((self.var / "accounts.json").read_text())
        return kept[name]

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=PROJECT, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()


def say(line: str) -> None:
    print(line, flush=True)


def by_browser(start: FreshStart) -> None:
    """Sign in, submit, watch it to the end, download: with a picture at each station."""
    with chromium() as browser:
        # Pictures are of states, not of ways between them.
        visitor = Visitor(browser, start.base, reduced_motion="reduce")
        visitor.page.goto(f"{start.base}/login/")
        visitor.picture(DEMO / "1-login.png")
        visitor.sign_in("demo", start.password("demo"))
        visitor.picture(DEMO / "2-empty.png", whole=True)
        began = time.monotonic()
        path = visitor.submit("lighthouse.pdf", story_pdf(PAGES))
        say(f"by page: task page {time.monotonic() - began:.2f} s after the form was opened")
        wait_until(lambda: results(visitor.page).count() >= PAGES // 3, PATIENCE_SECONDS, what="a third is done")
        visitor.picture(DEMO / "3-running.png", whole=True)
        shutil.copy(DEMO / "3-running.png", README_PICTURE)
        wait_until(lambda: state(visitor.page).inner_text() == "Done", PATIENCE_SECONDS, what="the task is done")
        say(f"by page: {PAGES} pages done {time.monotonic() - began:.0f} s after the form was opened")
        visitor.picture(DEMO / "4-done.png", whole=True)
        kept = visitor.download("Markdown", DEMO)
        say(f"by page: downloaded {kept.name}, {kept.stat().st_size} bytes, {kept.read_text().count('## Page')} pages")
        picture_of(visitor, browser, path, "5-done-phone", viewport=PHONE)
        picture_of(visitor, browser, path, "6-done-dark", color_scheme="dark")
        about_the_whole(visitor)
        text_alone(visitor)
        visitor.page.goto(start.base)
        visitor.picture(DEMO / "9-list.png", whole=True)
        assert not visitor.trouble.seen, visitor.trouble.seen
        as_operator(browser, start)


def about_the_whole(visitor: Visitor) -> None:
    """The same document again, three pages of it as a try: one answer about them all."""
    began = time.monotonic()
    visitor.page.get_by_role("link", name="Use this document again").click()
    visitor.page.get_by_label("The whole document", exact=True).check()
    visitor.start("Try on the first 3 pages")
    wait_until(lambda: state(visitor.page).inner_text() == "Done", PATIENCE_SECONDS, what="the whole is done")
    said = whole(visitor.page).locator("[data-slot=text]").inner_text()
    say(f"by page: one answer about 3 pages, {len(said)} characters, {time.monotonic() - began:.0f} s after the form")
    visitor.picture(DEMO / "7-whole.png", whole=True)


def text_alone(visitor: Visitor) -> None:
    """The same document, by the kind that calls no model."""
    visitor.page.get_by_role("link", name="Use this document again").click()
    visitor.page.get_by_role("link", name="Get the text of a document").click()
    visitor.start()
    wait_until(lambda: state(visitor.page).inner_text() == "Done", PATIENCE_SECONDS, what="the text is there")
    say(f"by page: the text of {results(visitor.page).count()} pages")
    visitor.picture(DEMO / "8-text.png", whole=True)


def picture_of(visitor: Visitor, browser: Any, path: str, name: str, **options: Any) -> None:
    """The same page, by the same person, on another screen."""
    other = Visitor(browser, visitor.base, storage_state=visitor.context.storage_state(), **options)
    other.page.goto(visitor.base + path)
    other.picture(DEMO / f"{name}.png")
    other.close()


def as_operator(browser: Any, start: FreshStart) -> None:
    operator = Visitor(browser, start.base)
    operator.page.goto(f"{start.base}/admin/")
    operator.page.get_by_label("Username").fill("operator")
    operator.page.get_by_label("Password").fill(start.password("operator"))
    operator.page.get_by_role("button", name="Log in").click()
    operator.page.goto(f"{start.base}/admin/tasks_app/task/")
    operator.picture(DEMO / "10-admin.png")
    operator.close()


def by_api(start: FreshStart) -> None:
    api = ApiClient(start.base, start.manage("apitoken", "demo"))
    answer = api.submit(story_pdf(3), name="three-pages.pdf", preset="key_points")
    say(f"by API: {answer.status} {answer.body.decode().strip()} after {answer.seconds * 1000:.0f} ms")
    task_id = answer.json["id"]
    while not (task := api.task(task_id))["finished_at"]:
        time.sleep(1)
    say(f"by API: {task['status']}, {task['progress']['done']} of {task['progress']['total']}, {task['usage']}")
    for format_ in ("md", "json", "jsonl"):
        file = DEMO / f"api-result.{format_}"
        file.write_bytes(api.get(f"/api/tasks/{task_id}/result?format={format_}").body)
    assert task["status"] == "succeeded", task


def keep_endpoint_log(start: FreshStart) -> None:
    lines = [line for line in start.log.read_text().splitlines() if " model " in line or line.startswith("model")]
    (DEMO / "endpoint.log").write_text("\n".join(lines) + "\n")
    say(f"the endpoint wrote {len(lines)} lines")


def main() -> None:
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir()
    with FreshStart() as start:
        by_browser(start)
        by_api(start)
    keep_endpoint_log(start)
    say(f"pictures, files and logs are in {Path(DEMO).name}/")


if __name__ == "__main__":
    main()
