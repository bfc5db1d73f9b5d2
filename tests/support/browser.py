"""A real Chromium, and a visitor who uses the page as a person would: for browser tests and the demo."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Locator, Page, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
# For who reads the text that is shown: what is out of sight is not drawn, and text that is not drawn is not there.
TALL = {"width": 1280, "height": 6000}
# For a loaded machine, on which a page takes ten times as long as for a person. Who is not late waits for nothing.
PATIENCE_MS = 45_000
LENGTH = "document.documentElement.scrollHeight"
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()


class Trouble:
    """What no page may do: scripts that run from data, errors of its own, breaches of the content security policy."""

    def __init__(self, page: Page) -> None:
        self.seen: list[str] = []
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.seen.append(f"script: {error}"))
        page.on("console", self._console)

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.seen.append(f"policy: {message.text}")


class Visitor:
    """One person in a browser context of their own. `base`: the address of the site, without a slash at its end."""

    def __init__(self, browser: Browser, base: str, **options: Any) -> None:
        """`options`: of Playwright's context, as viewport or java_script_enabled."""
        self.context: BrowserContext = browser.new_context(**({"viewport": DESKTOP} | options))
        self.context.set_default_timeout(PATIENCE_MS)
        self.base = base
        self.name = ""
        self.page: Page = self.context.new_page()
        self.trouble = Trouble(self.page)

    def new_tab(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.goto(self.base + path)
        return page

    def sign_in(self, name: str, password: str) -> None:
        self.name = name
        self.page.goto(f"{self.base}/login/")
        self.page.get_by_label("User name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", name="New task")).to_be_visible()

    def choose_file(self, name: str, content: bytes) -> None:
        file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        self.page.locator("#id_file").set_input_files(file)

    def fill_in(self, name: str, content: bytes, *, wish: str = "Summarise", each: str = "Each page") -> None:
        """Choose a file and what is to be done with it; `wish` and `each` by their labels."""
        self.choose_file(name, content)
        self.page.get_by_label(wish, exact=True).check()
        self.page.get_by_label(each, exact=True).check()

    def start(self, button: str = "Start") -> str:
        """Press Start or another `button`; returns the path of the task's page."""
        self.page.get_by_role("button", name=button).click()
        self.page.wait_for_url("**/tasks/*/")
        return self.page.url.removeprefix(self.base)

    def submit(self, name: str, content: bytes, *, wish: str = "Summarise", each: str = "Each page") -> str:
        self.page.goto(f"{self.base}/")
        self.fill_in(name, content, wish=wish, each=each)
        return self.start()

    def download(self, label: str, folder: Path) -> Path:
        """Press one of the buttons Markdown, JSON and JSONL; returns the file, under the name that it came with."""
        with self.page.expect_download() as coming:
            self.page.get_by_role("link", name=label, exact=True).click()
        target = folder / coming.value.suggested_filename
        coming.value.save_as(target)
        return target

    def picture(self, path: Path, *, whole: bool = False) -> None:
        size = self.page.viewport_size
        if whole and size:
            # Parts out of sight are drawn only when they come near: look at the page through a window as long.
            self.page.set_viewport_size({"width": size["width"], "height": self.page.evaluate(LENGTH)})
            self.page.set_viewport_size({"width": size["width"], "height": self.page.evaluate(LENGTH)})
        self.page.screenshot(path=path, full_page=whole)
        if size:
            self.page.set_viewport_size(size)

    def close(self) -> None:
        self.context.close()


def state(page: Page) -> Locator:
    """The badge of a task's page."""
    return page.locator("#task [data-slot=state]")


def mark(page: Page) -> Locator:
    """What says whether the view is live."""
    return page.locator("#live")


def whole(page: Page) -> Locator:
    """The answer about the whole document, on a task's page."""
    return page.get_by_role("region", name="The whole document")


def results(page: Page) -> Locator:
    """The items on a task's page, as far as they are finished."""
    return page.locator("#steps > li:not([data-side])")
