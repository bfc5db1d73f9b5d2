from tests.support.programs import wait_until

from .stand_ins import OBEDIENT, gone, launcher

SERVICE = f"redis:service:{OBEDIENT}"
WEB = f"web:application:{OBEDIENT}"


def test_a_program_that_fails_at_its_start_ends_the_others_and_is_named() -> None:
    with launcher(SERVICE, WEB, "gpu:application:import sys; sys.exit('no such queue')") as running:
        assert running.finish() == 1
    assert any("no such queue" in line for line in running.lines)
    assert running.lines[-1].startswith("'gpu' ended by itself with code 1, so the others were ended too")
    assert running.position("SIGTERM to redis") > running.position("web ended")


def test_a_service_that_fails_keeps_the_applications_from_starting() -> None:
    with launcher("redis:service:raise SystemExit(3)", f"model:never-ready:{OBEDIENT}") as running:
        assert running.finish() == 1
    assert running.lines[-1].startswith("'redis' ended by itself with code 3")


def test_a_program_that_is_killed_later_ends_the_others_and_is_named() -> None:
    with launcher(SERVICE, WEB) as running:
        running.read_until("running", times=2)
        processes = running.descendants()
        web = next(process for process in processes if process.cmdline()[1:2] == ["-c"] and process.ppid() != 1)
        web.kill()
        assert running.finish() == 1
    assert "was killed (SIGKILL)" in running.lines[-1]
    assert gone(processes)


def test_a_watcher_that_is_killed_counts_as_its_programs_end() -> None:
    with launcher(WEB) as running:
        running.read_until("running")
        processes = running.descendants()
        watcher = next(process for process in processes if process.ppid() == running.process.pid)
        watcher.kill()
        assert running.finish() == 1
    assert running.lines[-1].startswith("'web' was killed (SIGKILL)")
    # Its program notices by itself that its watcher has gone.
    wait_until(lambda: gone(processes))


def test_a_program_that_does_not_exist_is_named() -> None:
    with launcher(WEB, "gpu:application:exec /nowhere/redis-server") as running:
        assert running.finish() == 1
    assert any("No such file or directory: /nowhere/redis-server" in line for line in running.lines)
    assert running.lines[-1].startswith("'gpu' ended by itself with code 127")


def test_a_program_that_never_answers_ends_the_start_with_its_name() -> None:
    with launcher(SERVICE, f"web:never-ready:{OBEDIENT}", patience=1) as running:
        assert running.finish() == 1
    assert running.lines[-1].startswith("No answer from web within 1 s")
    assert not any("all ready" in line for line in running.lines)
