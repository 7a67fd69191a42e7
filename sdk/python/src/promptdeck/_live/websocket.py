"""One WebSocket connection, from its opening to its end."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from .._errors import Unavailable
from .._http.service import USER_AGENT
from .._http.trust import certificate_problem

_MAX_FRAME_BYTES: Final = 1024 * 1024
_CLOSE_S: Final = 1.0
_ABNORMAL: Final = 1006
"""RFC 6455: there was no close frame."""

# The library logs frames at debug level, and the first one contains the token: use a logger that cannot be enabled.
_SILENT: Final = logging.Logger("promptdeck.socket", level=logging.CRITICAL + 1)


class UntrustedError(Unavailable):
    """The certificate of the service failed verification."""


class RejectedError(Unavailable):
    """The service rejected the token of the upgrade."""


class _TimedConnection(ClientConnection):
    """A connection that records the time of the last received data, protocol pings included."""

    received_at: float = 0

    def data_received(self, data: bytes) -> None:
        """Record the time; called by asyncio."""
        self.received_at = self.loop.time()
        super().data_received(data)


class Socket:
    """An open connection."""

    def __init__(self, connection: _TimedConnection) -> None:
        self._connection = connection
        self._abort_reason: str | None = None

    @property
    def received_at(self) -> float:
        """Time of the last received data, on the event loop's clock."""
        return self._connection.received_at

    @property
    def end(self) -> tuple[int, str]:
        """Close code and reason, once it ended."""
        code = self._connection.close_code
        reason = self._connection.close_reason or ""
        if self._abort_reason is not None:
            return _ABNORMAL, self._abort_reason
        return (_ABNORMAL, reason or "The connection was lost.") if code is None else (code, reason)

    async def send(self, frame: dict[str, Any]) -> bool:
        """Send a frame; returns False if the connection has ended."""
        try:
            await self._connection.send(json.dumps(frame, separators=(",", ":")))
        except ConnectionClosed:
            return False
        return True

    async def receive(self) -> str | bytes | None:
        """Return the next frame; None if the connection has ended."""
        try:
            return await self._connection.recv()
        except ConnectionClosed:
            return None

    def abort(self, reason: str) -> None:
        """Abort a connection whose peer does not reply."""
        self._abort_reason = reason
        self._connection.transport.abort()

    def release(self) -> None:
        """Release the transport after the end of the connection."""
        self._connection.transport.abort()

    async def close(self) -> None:
        """Close the connection with a close frame, within a second."""
        await self._connection.close()


async def open_socket(server: str, tls: ssl.SSLContext | None, seconds: float, token: str | None) -> Socket:
    """Connect to `/ws` of the service, with the token if over TLS.

    Raises `Unavailable`, `UntrustedError` for a bad certificate or `RejectedError` for a rejected token.
    """
    url = urlsplit(server)
    is_secure = url.scheme == "https"
    # A service on the local network accepts no connection without a token.
    headers = {"Authorization": f"Bearer {token}"} if is_secure and token is not None else None
    try:
        connection = await asyncio.wait_for(
            connect(
                f"{'wss' if is_secure else 'ws'}{server.removeprefix(url.scheme)}/ws",
                # Explicit host and port prevent redirects to another address; proxies of the environment are ignored.
                host=url.hostname,
                port=url.port or (443 if is_secure else 80),
                ssl=tls,
                proxy=None,
                create_connection=_TimedConnection,
                user_agent_header=USER_AGENT,
                additional_headers=headers,
                compression=None,
                open_timeout=None,
                ping_interval=None,
                close_timeout=min(_CLOSE_S, seconds),
                max_size=_MAX_FRAME_BYTES,
                logger=_SILENT,
            ),
            seconds,
        )
    except asyncio.TimeoutError:
        raise Unavailable(f"The live connection did not open within {seconds * 1000:g} ms.") from None
    except ssl.SSLCertVerificationError as error:
        raise UntrustedError(certificate_problem(error, server) or str(error)) from error
    except (OSError, InvalidHandshake, EOFError, ValueError) as error:
        if isinstance(error, InvalidStatus) and error.response.status_code == 401:
            raise RejectedError("The token is unknown, expired or revoked") from error
        raise Unavailable(f"The live connection could not be opened ({type(error).__name__}: {error}).") from error
    if not isinstance(connection, _TimedConnection):
        raise TypeError("the connection is made by create_connection")
    connection.received_at = connection.loop.time()
    return Socket(connection)
