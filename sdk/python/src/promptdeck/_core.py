"""The implementation of a client in one event loop, shared by `Client` and `AsyncClient`."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

from ._cache.disk import DiskCache
from ._errors import Closed, Forbidden, Invalid, Unauthorized
from ._events import Emitter
from ._http.credentials import Credentials
from ._http.service import Service
from ._http.trust import tls_context
from ._live.live import Live
from ._loop.tasks import Tasks
from ._models import ErrorEvent, Prompt
from ._options import Options
from ._prompts.follow import Follower
from ._prompts.prompts import Prompts
from ._runs.reports import Report, Reporter

T = TypeVar("T")

_MAX_KEY_LENGTH: Final = 200
"""In UTF-16 code units."""


class Core:
    """Call everything except `current` and `is_closed` in the event loop of construction."""

    def __init__(self, options: Options, credentials: Credentials, emitter: Emitter) -> None:
        tls = tls_context(options.ca) if options.is_secure else None
        self._operations: set[asyncio.Task[Any]] = set()
        self._tasks = Tasks()
        self._report_tasks = Tasks()
        self._service = Service(options, credentials, tls)
        disk = DiskCache(options, lambda error: emitter.emit(ErrorEvent(error)))
        self._prompts = Prompts(options, self._service, disk, self._tasks, emitter.emit)
        self._follower = Follower(self._prompts, self._service, self._tasks, options.times)
        self._live = Live(options, credentials, tls, self._prompts, self._follower, self._tasks, emitter.emit)
        self._reporter = Reporter(self._service, options.times, self._report_tasks, emitter.emit)
        self._live.on_connected = self._reporter.retry_now
        self.is_closed = False

    async def operate(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a call of the app; it ends with `Closed` if the client is closed meanwhile."""
        if self.is_closed:
            work.close()
            raise closed()
        task = asyncio.get_running_loop().create_task(work)
        self._operations.add(task)
        task.add_done_callback(self._operations.discard)
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            if self.is_closed:
                raise closed() from None
            raise

    def current(self, key: str) -> Prompt | None:
        """Return the current prompt in memory, or None. Safe from any thread."""
        return self._prompts.current(key)

    async def get(self, key: str) -> Prompt:
        """See `Client.get_prompt`."""
        return await self._prompts.get(checked_key(key))

    async def prefetch(self, keys: Sequence[str] | None) -> None:
        """See `Client.prefetch`."""
        if keys is None:
            await self._follower.prefetch_all()
        else:
            await self._follower.prefetch([checked_key(key) for key in _as_list(keys)])

    async def watch(self, keys: Sequence[str] | None) -> None:
        """See `Client.watch`."""
        for key in [checked_key(key) for key in _as_list(keys or ())]:
            self._prompts.entry(key).is_watched = True
        await self._live.watch()

    def report(self, report: Report) -> None:
        """Queue a run, unless the client is closed."""
        if not self.is_closed:
            self._reporter.add(report)

    async def flush(self) -> None:
        """See `Client.flush`."""
        await self._reporter.flush()

    async def send_last(self) -> None:
        """Send the queued runs, because the process ends."""
        await self._reporter.send_last()

    def token_replaced(self) -> None:
        """Retry what failed with the old token."""
        self._prompts.clear_failures((Unauthorized, Forbidden))
        self._reporter.retry_now()
        self._live.token_replaced()

    async def close(self) -> int:
        """Close everything. Returns how many runs could not be sent."""
        self.is_closed = True
        for operation in self._operations:
            operation.cancel()
        _, unsent = await asyncio.gather(self._stop_listening(), self._reporter.close())
        await self._report_tasks.cancel()
        await self._service.close()
        return unsent

    async def _stop_listening(self) -> None:
        await self._live.close()
        await self._tasks.cancel()


def closed() -> Closed:
    """Return the error of every call after `close()`."""
    return Closed("The client is closed. Create a new one.")


def checked_key(key: object) -> str:
    """Return the key in Unicode normalization form C, as the service stores it. Raises `Invalid` for no key."""
    text = unicodedata.normalize("NFC", key) if isinstance(key, str) else ""
    # Segments of dots would change the path of the request; a URL cannot contain a lone surrogate.
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if 0 < units <= _MAX_KEY_LENGTH and not re.search(r"(^|/)\.\.?(/|\Z)|[\ud800-\udfff]", text):
        return text
    raise Invalid(f'A key must be a string of 1 to {_MAX_KEY_LENGTH} characters, without the segments "." and "..".')


def _as_list(keys: Sequence[str]) -> Sequence[str]:
    if isinstance(keys, str):
        raise Invalid(f'keys must be a list: ["{keys}"].')
    return keys
