"""A call that something else than an Exception ends: it is shut down, and stays open in the ledger."""

import signal
import socket
import threading
from types import FrameType

import pytest

from tasks_app.endpoint import CallGuard, complete
from tasks_app.exceptions import CancelRequested
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint


def test_an_interrupt_leaves_the_call_in_doubt_and_the_endpoint_alone(
    endpoint: ModelEndpoint, context: MemoryContext
) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise CancelRequested

    def when_the_call_is_in_flight() -> None:
        endpoint.wait_for(lambda: endpoint.in_flight == 1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    endpoint.hold("PAGE-0001")
    watcher = threading.Thread(target=when_the_call_is_in_flight)
    watcher.start()
    try:
        with pytest.raises(CancelRequested):
            complete(context, page(1))
    finally:
        watcher.join()
        signal.signal(signal.SIGUSR1, before)
    assert context.outcomes == [None]
    endpoint.wait_for(lambda: endpoint.in_flight == 0)
    assert [call.closed_early for call in endpoint.calls] == [True]


@pytest.fixture
def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


def test_shutting_down_wakes_a_thread_that_reads(pair: tuple[socket.socket, socket.socket]) -> None:
    guard, read = CallGuard(), []
    guard.watch(pair[0])
    reader = threading.Thread(target=lambda: read.append(pair[0].recv(1)))
    reader.start()
    guard.shut_down(CancelRequested())
    reader.join(timeout=45)
    assert read == [b""]


def test_a_connection_made_after_the_shut_down_is_dead(pair: tuple[socket.socket, socket.socket]) -> None:
    guard = CallGuard()
    guard.shut_down(CancelRequested())
    guard.watch(pair[0])
    assert pair[0].recv(1) == b""
    assert pair[1].recv(1) == b""


def test_the_first_reason_stands() -> None:
    guard, first = CallGuard(), CancelRequested()
    guard.shut_down(first)
    guard.shut_down(TimeoutError())
    assert guard.reason is first


def test_a_connection_that_was_released_is_not_touched(pair: tuple[socket.socket, socket.socket]) -> None:
    guard = CallGuard()
    guard.watch(pair[0])
    guard.release()
    guard.shut_down(CancelRequested())
    pair[0].send(b"x")
    assert pair[1].recv(1) == b"x"
