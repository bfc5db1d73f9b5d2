import socket
from collections.abc import Iterator

import pytest

from tasks_app.processes.pipe import Pipe, PipeClosed

type Ends = tuple[Pipe, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Pipe(ours), theirs


def test_messages_arrive_whole_and_in_order_however_they_are_cut(ends: Ends) -> None:
    pipe, other = ends
    other.sendall(b'{"n": 1}\n{"n"')
    assert pipe.receive(within=1) == {"n": 1}
    assert pipe.receive(within=0) is None
    other.sendall(b": 2}\n")
    assert pipe.receive(within=1) == {"n": 2}


def test_a_message_said_before_the_end_is_still_heard(ends: Ends) -> None:
    pipe, other = ends
    other.sendall(b'{"done": "x"}\n')
    other.close()
    assert pipe.receive(within=1) == {"done": "x"}
    with pytest.raises(PipeClosed):
        pipe.receive(within=1)


def test_sending_to_nobody_says_so(ends: Ends) -> None:
    pipe, other = ends
    other.close()
    with pytest.raises(PipeClosed):
        pipe.send({"n": 1})
