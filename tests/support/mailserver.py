"""A mail server that keeps what it is sent: SMTP over a real socket, without encryption or passwords."""

import socketserver
import threading
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, Self


@dataclass
class Kept:
    """`hold`: while it is set, whoever connects hears nothing."""

    messages: list[EmailMessage] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)


class Handler(socketserver.StreamRequestHandler):
    server: "MailServer"

    def handle(self) -> None:
        kept = self.server.kept
        while kept.hold.is_set() and not kept.stop.wait(0.02):
            pass
        self._say("220 here")
        for line in self.rfile:
            verb = line.strip().upper()
            if verb == b"DATA":
                self._say("354 go on")
                kept.messages.append(self._message())
            self._say("221 bye" if verb == b"QUIT" else "250 ok")
            if verb == b"QUIT":
                return

    def _message(self) -> EmailMessage:
        lines: list[bytes] = []
        for line in self.rfile:
            if line.rstrip() == b".":
                break
            lines.append(line)
        found: Any = message_from_bytes(b"".join(lines), policy=policy.default)
        return found  # type: ignore[no-any-return]

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    """`with MailServer() as server: server.url` is an EMAIL_URL."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kept = Kept()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    @property
    def subjects(self) -> list[str]:
        return [str(message["subject"]) for message in self.kept.messages]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kept.stop.set()
        self.shutdown()
        self.server_close()
