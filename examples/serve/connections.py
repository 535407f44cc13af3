"""Connections of the example server: nobody holds one for ever, and nobody is lost as the server ends.

Uvicorn itself closes connections that are idle after an answer. It waits without end for a request's head,
and for a client that does not take its answer; and as it ends it closes at once whoever is in line, or has
not spoken yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """Uvicorn's, ended after ``patience`` seconds without a request's whole head, or of an answer that is not
    taken."""

    def __init__(self, *arguments: Any, patience: float, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.patience = patience
        self.deadline: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.deadline is not None:
            self.deadline.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.wait()

    def wait(self) -> None:
        """Wait for the next request, and not for ever."""
        if self.deadline is not None:
            self.deadline.cancel()
        unsent = self.transport.get_write_buffer_size()
        self.deadline = self.loop.call_later(self.patience, self.hang_up, unsent)

    def hang_up(self, unsent: int) -> None:
        if 0 < self.transport.get_write_buffer_size() < unsent:
            self.wait()  # it is slow, and takes its answer
        elif self.is_idle:
            self.transport.abort()

    def shutdown(self) -> None:
        """Uvicorn calls this as the server ends; who has not spoken yet is left a while, until ``end``."""
        if not self.is_idle:
            super().shutdown()

    def end(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()


class Server(uvicorn.Server):
    """Uvicorn's, which answers whoever the system has let in when it is told to end, if the request comes
    within ``linger`` seconds."""

    def __init__(self, config: uvicorn.Config, linger: float) -> None:
        super().__init__(config)
        self.linger = linger

    def connection(self) -> asyncio.BaseProtocol:
        return self.config.http_protocol_class(
            config=self.config,  # type: ignore[call-arg]
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        self.server_state.default_headers.append((b"connection", b"close"))
        # Closing a listening socket breaks off all who stand in line there: they are let in first.
        tasks = []
        for listening in (each for server in self.servers for each in server.sockets):
            with listening.dup() as line, contextlib.suppress(BlockingIOError):
                while True:
                    client, _ = line.accept()
                    tasks.append(loop.create_task(loop.connect_accepted_socket(self.connection, client)))
        loop.call_later(self.linger, self.end_connections)
        await super().shutdown(sockets)

    def end_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.end()


def settings(patience: float, grace: int) -> dict[str, Any]:
    """Return what uvicorn is told of connections, by the names of its own arguments."""
    return {
        "http": functools.partial(Connection, patience=patience),
        "loop": "asyncio",
        "ws": "none",
        "timeout_graceful_shutdown": grace,
    }


def server_of(app: Any, host: str, port: int, patience: float, linger: float, grace: int) -> Server:
    """Return a server of an application, which runs until the process is told to end, and then for up to
    ``grace`` seconds more."""
    return Server(uvicorn.Config(app, host=host, port=port, **settings(patience, grace)), linger)
