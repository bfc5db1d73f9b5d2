import os
import signal

from tests.support.programs import wait_until

from .stand_ins import OBEDIENT, STUBBORN, Running, gone, launcher

PROGRAMS = (f"redis:service:{OBEDIENT}", f"web:application:{OBEDIENT}", f"gpu:application:{STUBBORN}")


def started(running: Running) -> None:
    running.read_until("running", times=3)
    assert len(running.descendants()) == 6


def test_a_killed_launcher_leaves_no_process() -> None:
    with launcher(*PROGRAMS) as running:
        started(running)
        processes = running.descendants()
        running.process.kill()
        wait_until(lambda: gone(processes))


def test_a_launcher_killed_with_its_whole_group_leaves_no_process() -> None:
    with launcher(*PROGRAMS) as running:
        started(running)
        processes = running.descendants()
        os.killpg(running.process.pid, signal.SIGKILL)
        wait_until(lambda: gone(processes))
