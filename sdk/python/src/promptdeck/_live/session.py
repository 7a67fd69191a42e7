"""One live connection, from `hello` to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._loop.tasks import Tasks
from .frames import Frame, Hello, parse_frame
from .websocket import Socket


@dataclass(frozen=True, slots=True)
class End:
    """The end of a connection."""

    code: int
    had_hello: bool
    generation: int
    """Generation of the token in use."""


class Session:
    """Exchanges hellos, reads frames, sends pings. `report_unknown` gets the reason for each unknown frame."""

    def __init__(self, socket: Socket, tasks: Tasks, report_unknown: Callable[[str], None]) -> None:
        self._socket = socket
        self._tasks = tasks
        self._report_unknown = report_unknown
        self._clock = asyncio.get_running_loop().time

    async def handshake(self, hello_frame: dict[str, Any], seconds: float) -> Hello | None:
        """Exchange hellos; returns None if the connection ended instead."""
        if not await self._socket.send(hello_frame):
            return None
        try:
            return await asyncio.wait_for(self._hello(), seconds)
        except asyncio.TimeoutError:
            self._socket.abort("The service did not send its hello in time.")
            return None

    async def next(self) -> Frame | None:
        """Return the next known frame; None at the end of the connection."""
        while (data := await self._socket.receive()) is not None:
            frame = parse_frame(data)
            if not isinstance(frame, str):
                return frame
            self._report_unknown(frame)
        return None

    async def send_pings(self, heartbeat_s: float) -> None:
        """Send a ping every `heartbeat_s`, and end the connection if nothing is received for twice that time."""
        ping_at = self._clock() + heartbeat_s
        while True:
            dead_at = self._socket.received_at + 2 * heartbeat_s
            await asyncio.sleep(max(0, min(ping_at, dead_at) - self._clock()))
            now = self._clock()
            if now >= self._socket.received_at + 2 * heartbeat_s:
                self._socket.abort(f"No data received for {2 * heartbeat_s:g} s.")
                return
            if now >= ping_at:
                ping_at = now + heartbeat_s
                # Not awaited: a peer that reads nothing would block this loop.
                self._tasks.spawn(self._socket.send({"type": "ping"}))

    async def _hello(self) -> Hello | None:
        while (frame := await self.next()) is not None:
            # Earlier frames can be ignored: all prompts in memory are fetched again after the hello.
            if isinstance(frame, Hello):
                return frame
        return None
