"""Opens the live connection, and reconnects."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Callable
from typing import Any, Final

from .._cache.entry import Ack, Entry
from .._errors import Invalid, Unavailable
from .._http.credentials import Credentials
from .._loop.tasks import Tasks, logger
from .._models import ConnectEvent, DisconnectEvent, ErrorEvent, Event, ResyncEvent
from .._options import Options
from .._prompts.follow import Follower
from .._prompts.prompts import Prompts
from .._version import __version__
from .frames import Changed, Frame, Hello, Pong, Resync, reported_keys
from .position import Position
from .session import End, Session
from .untrusted import UntrustedReports
from .websocket import RejectedError, Socket, open_socket

_TOKEN_REJECTED: Final = 4401
_KICKED: Final = 4403
_COLLECT_S: Final = 0.02
"""Window in seconds in which new keys are collected into one frame."""


class Live:
    """Runs from the first `watch` until `close`."""

    def __init__(
        self,
        options: Options,
        credentials: Credentials,
        tls: ssl.SSLContext | None,
        prompts: Prompts,
        follower: Follower,
        tasks: Tasks,
        emit: Callable[[Event], None],
    ) -> None:
        self._options = options
        self._times = options.times
        self._credentials = credentials
        self._tls = tls
        self._prompts = prompts
        self._follower = follower
        self._tasks = tasks
        self._emit = emit
        self._socket: Socket | None = None
        self._connections = 0
        self._position = Position()
        self._connected = asyncio.Event()
        self._new_token = asyncio.Event()
        self._ended = asyncio.Event()
        self._is_running = False
        self._is_closing = False
        self._is_reporting = False
        self._untrusted = UntrustedReports(emit)
        self.on_connected: Callable[[], None] = lambda: None
        prompts.on_new_key = self._report_keys_soon
        prompts.on_first_fetch = self._acknowledge_first_fetch
        follower.acknowledge = self._acknowledge

    async def watch(self) -> None:
        """Connect, and return once connected or after the timeout; connecting continues in the background."""
        if not self._is_running:
            self._is_running = True
            self._tasks.spawn(self._run())
            self._tasks.spawn(self._poll())
        try:
            await asyncio.wait_for(self._connected.wait(), self._times.request)
        except asyncio.TimeoutError:
            return

    def token_replaced(self) -> None:
        """Try to connect with the new token."""
        self._new_token.set()

    async def close(self) -> None:
        """Close the open connection, or cancel the attempt to connect."""
        self._is_closing = True
        if self._socket is not None:
            await self._socket.close()
            await self._ended.wait()

    async def _run(self) -> None:
        max_wait = self._times.retry_min
        while True:
            ended = await self._connect()
            if self._is_closing:
                return
            if ended is not None and ended.had_hello:
                max_wait = self._times.retry_min
            if ended is not None and ended.code == _TOKEN_REJECTED:
                await self._until_new_token(ended.generation)
            elif ended is not None and ended.code == _KICKED:
                await asyncio.sleep(self._times.kicked)
            # Random, so that not all clients reconnect at the same moment.
            await asyncio.sleep(random.uniform(0, max_wait))  # noqa: S311
            max_wait = min(max_wait * 2, self._times.retry_max)

    async def _until_new_token(self, used_generation: int) -> None:
        logger.warning("the service rejected the token of the live connection; call set_token with another one")
        while self._credentials.generation == used_generation:
            self._new_token.clear()
            await self._new_token.wait()

    async def _connect(self) -> End | None:
        """Run one connection from its opening to its end; returns None if it could not be opened."""
        generation = self._credentials.generation
        try:
            socket = await open_socket(self._options.server, self._tls, self._times.request, self._credentials.token)
        except RejectedError as error:
            self._emit(DisconnectEvent(_TOKEN_REJECTED, error.message))
            return End(_TOKEN_REJECTED, False, generation)
        except Unavailable as error:
            logger.info("%s", error)
            self._untrusted.report(error)
            return None
        self._untrusted.reset()
        session = Session(socket, self._tasks, self._report_unknown)
        hello: Hello | None = None
        try:
            reported = len(self._prompts.keys)
            hello = await session.handshake(self._hello_frame(), self._times.request)
            if hello is not None:
                await self._listen(socket, session, hello, reported)
        finally:
            socket.release()
            code, reason = socket.end
            if not self._is_closing:
                self._emit(DisconnectEvent(code, self._credentials.redact(reason)))
            self._set_socket(None)
        return End(code, hello is not None, generation)

    def _hello_frame(self) -> dict[str, Any]:
        token = self._credentials.token
        return {
            "type": "hello",
            **({} if token is None else {"token": token}),
            "client": "python-sdk",
            "app": self._options.app_name,
            "namespace": self._options.namespace,
            "workspace": self._options.workspace,
            "instance_id": self._options.instance_id,
            "sdk_version": __version__,
            "keys": reported_keys(self._prompts.keys),
            **({} if self._position.since is None else {"since_seq": self._position.since}),
        }

    async def _listen(self, socket: Socket, session: Session, hello: Hello, reported: int) -> None:
        self._position.hello(hello.seq)
        self._set_socket(socket)
        self._emit(ConnectEvent(hello.client_id, hello.seq))
        if len(self._prompts.keys) > reported:
            self._report_keys_soon()
        self._refetch(hello.seq, cached_only=True)
        self.on_connected()
        pings = self._tasks.spawn(session.send_pings(hello.heartbeat_s))
        try:
            while (frame := await session.next()) is not None:
                self._handle(frame)
        finally:
            pings.cancel()

    def _set_socket(self, socket: Socket | None) -> None:
        self._socket = socket
        if socket is None:
            self._position.ended()
            self._prompts.connection_number = None
            self._connected.clear()
            self._ended.set()
        else:
            self._connections += 1
            self._prompts.connection_number = self._connections
            self._connected.set()
            self._ended.clear()

    def _handle(self, frame: Frame) -> None:
        if isinstance(frame, Changed):
            self._position.received(frame.seq)
            self._changed(frame)
        elif isinstance(frame, Resync):
            self._position.restart(frame.seq)
            for entry in self._prompts.entries():
                entry.handled_seq = -1
            self._emit(ResyncEvent(frame.seq))
            self._refetch(frame.seq, cached_only=False)
        elif isinstance(frame, Pong):
            self._position.pong()
        else:
            self._report_unknown("The service sent a second hello. It is ignored.")

    def _report_unknown(self, text: str) -> None:
        self._emit(ErrorEvent(Invalid(self._credentials.redact(text))))

    def _changed(self, frame: Changed) -> None:
        find = self._prompts.entry if self._prompts.open_lists else self._prompts.find
        entry = find(frame.key)
        if entry is None or frame.seq <= entry.handled_seq:
            return
        entry.handled_seq = frame.seq
        if not frame.is_deleted:
            # An earlier NotFound result may be outdated.
            entry.missing = None
            self._follower.follow(entry, Ack(frame.seq, frame.version))
        elif entry.fetch is not None:
            # The fetch in progress may return an older state: fetch again.
            self._follower.follow(entry)
        else:
            self._follower.cancel(entry)
            self._prompts.deleted(entry)

    def _refetch(self, seq: int, *, cached_only: bool) -> None:
        # The service is reachable: what failed before may be tried again now.
        self._prompts.clear_failures()
        for entry in self._prompts.entries():
            if not cached_only or entry.cached is not None or entry.delivered is not None:
                self._follower.follow(entry, Ack(seq))

    async def _acknowledge(self, seq: int, key: str, version: str) -> None:
        if self._socket is not None:
            await self._socket.send({"type": "ack", "seq": seq, "key": key, "version": version})

    def _acknowledge_first_fetch(self, entry: Entry) -> None:
        version = None if entry.cached is None else entry.cached.version
        seq = self._position.newest
        if self._socket is not None and seq is not None and version is not None:
            self._tasks.spawn(self._acknowledge(seq, entry.key, version))

    def _report_keys_soon(self) -> None:
        if self._socket is not None and not self._is_reporting:
            self._is_reporting = True
            self._tasks.spawn(self._report_keys(self._socket))

    async def _report_keys(self, socket: Socket) -> None:
        await asyncio.sleep(_COLLECT_S)
        self._is_reporting = False
        await socket.send({"type": "subscribe", "keys": reported_keys(self._prompts.keys)})

    async def _poll(self) -> None:
        """Poll for changes while there is no connection."""
        while True:
            await asyncio.sleep(self._times.poll)
            if self._socket is None:
                await self._follower.poll()
