import signal
import time
from pathlib import Path

import pytest

from .stand_ins import OBEDIENT, STUBBORN, gone, launcher

SERVICE = f"redis:service:{OBEDIENT}"
WEB = f"web:application:{OBEDIENT}"
WORKER = f"gpu:application:{OBEDIENT}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_applications_first_and_the_services_last(number: signal.Signals) -> None:
    with launcher(SERVICE, WEB, WORKER) as running:
        running.read_until("running", times=3)
        running.process.send_signal(number)
        assert running.finish() == 0
    assert running.position("SIGTERM to redis") > running.position("web ended (code 0)")
    assert running.position("SIGTERM to redis") > running.position("gpu ended (code 0)")
    assert "redis ended (code 0)" in running.lines[-1]


def test_nothing_is_left_after_a_stop() -> None:
    with launcher(SERVICE, WEB, WORKER) as running:
        running.read_until("running", times=3)
        processes = running.descendants()
        assert len(processes) == 6
        running.process.terminate()
        running.finish()
    assert gone(processes)


def test_a_stop_in_the_middle_of_the_start_ends_what_has_started() -> None:
    with launcher(SERVICE, WEB, f"slow:never-ready:{OBEDIENT}") as running:
        running.read_until("running")
        processes = running.descendants()
        running.process.terminate()
        assert running.finish() == 0
    assert gone(processes)


def test_each_line_carries_the_name_of_its_process() -> None:
    with launcher(SERVICE, WEB) as running:
        running.read_until("all ready")
        running.read_until("running", times=2)
    said = [line.split(" ", 1)[1].split("|") for line in running.lines if "running" in line]
    assert sorted(name.strip() for name, _ in said) == ["redis", "web"]


def test_one_that_does_not_leave_is_told_again_before_the_grace_is_over_and_killed_after_it() -> None:
    with launcher(SERVICE, f"gpu:application:{STUBBORN}", grace=2) as running:
        running.read_until("running", times=2)
        processes = running.descendants()
        asked_at = time.monotonic()
        running.process.terminate()
        running.read_until("heard", times=2)
        running.read_until("gpu ended (code -9)")
        # After the grace and 5 s more.
        assert time.monotonic() - asked_at > 6
        assert running.finish() == 0
    assert "redis ended (code 0)" in running.lines[-1]
    assert gone(processes)


def test_a_second_signal_passes_the_hurry_on() -> None:
    with launcher(f"gpu:application:{STUBBORN}", grace=600) as running:
        running.read_until("running")
        running.process.send_signal(signal.SIGINT)
        running.read_until("heard")
        running.process.send_signal(signal.SIGINT)
        running.read_until("heard", times=2)
        running.process.send_signal(signal.SIGINT)
        running.read_until("gpu ended (code -9)")


def test_when_nobody_reads_any_more_all_are_ended_in_order(tmp_path: Path) -> None:
    left = tmp_path / "left"
    # It takes its time, which a kill would not give it.
    careful = OBEDIENT.replace("sys.exit(0)", f"time.sleep(0.5), open({str(left)!r}, 'w').close(), sys.exit(0)")
    with launcher(SERVICE, f"web:application:{careful}") as running:
        running.read_until("all ready")
        running.read_until("running", times=2)
        processes = running.descendants()
        running.close_output()
        running.process.terminate()
        assert running.process.wait(timeout=45) == 0
    assert left.exists()
    assert gone(processes)
