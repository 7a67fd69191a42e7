"""Looks prompts up in memory, the service, disk and fallbacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from .._cache.disk import DiskCache
from .._cache.entry import Entry, Outcome
from .._cache.stored import Stored, fallback_stored
from .._errors import Forbidden, Invalid, NotFound, PromptdeckError, Unauthorized, Unavailable
from .._http.service import Service
from .._loop.tasks import Tasks
from .._models import Prompt, UpdateEvent
from .._options import Options


class Prompts:
    """The prompts in use, and if they are current."""

    def __init__(
        self,
        options: Options,
        service: Service,
        disk: DiskCache,
        tasks: Tasks,
        emit_update: Callable[[UpdateEvent], None],
    ) -> None:
        self._options = options
        self._times = options.times
        self._service = service
        self._disk = disk
        self._tasks = tasks
        self._emit_update = emit_update
        self._clock = asyncio.get_running_loop().time
        self._entries: dict[str, Entry] = {}
        self.connection_number: int | None = None
        """Number of the open live connection, or None. During a connection, memory is current regardless of its age."""
        self.open_lists = 0
        """Number of lists being fetched. A list may contain a key as it was before a change that is received now."""
        self.on_new_key: Callable[[], None] = lambda: None
        self.on_first_fetch: Callable[[Entry], None] = lambda _entry: None

    @property
    def keys(self) -> list[str]:
        """All keys requested, fetched or watched so far."""
        return list(self._entries)

    def entry(self, key: str) -> Entry:
        """Return the state of a key; creates it if it is missing."""
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = Entry(key)
            self.on_new_key()
        return entry

    def find(self, key: str) -> Entry | None:
        """Return the state of a key, or None."""
        return self._entries.get(key)

    def entries(self) -> list[Entry]:
        """Return the states of all keys."""
        return list(self._entries.values())

    def current(self, key: str) -> Prompt | None:
        """Return the prompt in memory if it is current. Safe from any thread."""
        entry = self._entries.get(key)
        cached = None if entry is None else entry.cached
        return cached.as_prompt("memory") if entry and cached and self._is_current(entry) else None

    async def get(self, key: str) -> Prompt:
        """Return a prompt from memory, else the service, else disk, else fallbacks."""
        entry = self.entry(key)
        if entry.cached is not None:
            if not self._is_current(entry) and self.may_fetch(entry) and entry.fetch is None:
                self._begin(entry)
            return entry.cached.as_prompt("memory")
        if entry.missing is not None and self.is_missing(entry):
            raise entry.missing.again()
        if self.may_fetch(entry):
            outcome = await self._fetch_in_time(entry)
        else:
            outcome = entry.error or _timed_out(entry.key)
        if isinstance(outcome, Stored):
            self.remember(entry)
            return outcome.as_prompt("network")
        if isinstance(outcome, NotFound):
            raise outcome.again()
        return self._copy(entry, outcome)

    async def fetch(self, entry: Entry) -> Outcome:
        """Fetch a key, with one request for concurrent callers."""
        # Cancelling one caller must not cancel the fetch for the others.
        return await asyncio.shield(self._begin(entry))

    def may_fetch(self, entry: Entry) -> bool:
        """Return True if the backoff is over."""
        return self._clock() >= entry.retry_at

    def is_missing(self, entry: Entry) -> bool:
        """Return True if a recent NotFound result is still valid."""
        return entry.missing is not None and self._clock() < entry.missing_until

    def accept(self, stored: Stored, revision: int) -> None:
        """Store a prompt from a list, unless a newer state is known."""
        entry = self.entry(stored.key)
        if entry.revision == revision:
            self._confirmed(entry, stored)
            self.remember(entry)

    def revisions(self) -> dict[str, int]:
        """Return the revisions of all keys before a list is requested; a missing key counts as 0."""
        return {key: entry.revision for key, entry in self._entries.items()}

    def deleted(self, entry: Entry) -> None:
        """Handle a deletion announced by the service."""
        self._remove(entry, NotFound(f'Nothing is published under "{entry.key}": it was deleted.', status=404))

    def remember(self, entry: Entry) -> None:
        """Record that the app gets the prompt; emits an update only if it had another one before."""
        is_first = entry.delivered is None
        if is_first and not entry.was_reported_missing:
            entry.delivered = entry.cached
        else:
            self.announce(entry)
        if is_first:
            self.on_first_fetch(entry)

    def announce(self, entry: Entry) -> None:
        """Emit an update if the prompt in memory differs from what the app last received."""
        if entry.cached is not None and (entry.delivered is None or entry.cached.differs(entry.delivered)):
            previous, entry.delivered = entry.delivered, entry.cached
            self._emit_update(
                UpdateEvent(
                    key=entry.key,
                    version=entry.cached.version,
                    previous_version=None if previous is None else previous.version,
                    prompt=entry.cached.as_prompt("network"),
                )
            )

    def has_copy(self, key: str) -> bool:
        """Return True if there is a copy of the key to serve without the service."""
        entry = self._entries.get(key)
        is_cached = entry is not None and entry.cached is not None
        return is_cached or key in self._options.fallbacks or self._disk.read(key) is not None

    def has_any_copy(self) -> bool:
        """Return True if there is any prompt to serve without the service."""
        is_any_cached = any(entry.cached is not None for entry in self._entries.values())
        return is_any_cached or bool(self._options.fallbacks) or self._disk.has_any()

    def clear_failures(self, kinds: Iterable[type[PromptdeckError]] = (PromptdeckError,)) -> None:
        """End the backoffs, because the service is reachable again or the token was replaced."""
        for entry in self._entries.values():
            if isinstance(entry.error, tuple(kinds)):
                entry.clear_failures()

    def _is_current(self, entry: Entry) -> bool:
        return self.connection_number is not None or self._clock() - entry.confirmed_at <= self._times.stale

    async def _fetch_in_time(self, entry: Entry) -> Outcome:
        try:
            return await asyncio.wait_for(asyncio.shield(self._begin(entry)), self._times.request)
        except asyncio.TimeoutError:
            return _timed_out(entry.key)

    def _begin(self, entry: Entry) -> asyncio.Task[Outcome]:
        """Return the fetch in progress, else start one. Do not `await` between a check of memory and this call."""
        if entry.fetch is None:
            entry.fetch = self._tasks.spawn(self._fetch(entry))
        return entry.fetch

    async def _fetch(self, entry: Entry) -> Outcome:
        try:
            return await self._request(entry)
        finally:
            entry.fetch = None

    async def _request(self, entry: Entry) -> Outcome:
        try:
            stored = await self._service.prompt(entry.key, entry.cached)
        except NotFound as error:
            missing_error = _not_found(entry.key, self._options.namespace, error)
            self._remove(entry, missing_error)
            return missing_error
        except PromptdeckError as error:
            entry.failed(error, self._clock(), self._times)
            return error
        self._confirmed(entry, stored)
        if entry.delivered is not None:
            self.announce(entry)
        return stored

    def _confirmed(self, entry: Entry, stored: Stored) -> None:
        is_new = entry.cached is None or entry.cached != stored
        entry.confirmed(stored, self._clock())
        if is_new:
            self._disk.write(stored)

    def _remove(self, entry: Entry, error: NotFound) -> None:
        entry.mark_missing(error, self._clock() + self._times.negative)
        self._disk.remove(entry.key)
        previous, entry.delivered = entry.delivered, None
        entry.was_reported_missing = True
        if previous is not None:
            self._emit_update(UpdateEvent(entry.key, None, previous.version, None))

    def _copy(self, entry: Entry, error: PromptdeckError) -> Prompt:
        stored = self._disk.read(entry.key)
        if stored is not None:
            entry.delivered = stored
            return stored.as_prompt("disk")
        fallback = self._options.fallbacks.get(entry.key)
        if fallback is not None:
            return fallback_stored(entry.key, fallback, self._options.namespace).as_prompt("fallback")
        if isinstance(error, (Unauthorized, Forbidden, Invalid)):
            raise error.again()
        raise _unavailable(entry.key, error)


def _timed_out(key: str) -> Unavailable:
    return Unavailable(f'"{key}" was not fetched within the time limit.')


def _not_found(key: str, namespace: str, error: NotFound) -> NotFound:
    message = f'Nothing is published under "{key}" in {namespace}. {error.message}'
    return NotFound(message, status=error.status, request_id=error.request_id)


def _unavailable(key: str, error: PromptdeckError) -> Unavailable:
    message = f'No copy of "{key}" exists, and it could not be fetched. {error.message}'
    return Unavailable(message, status=error.status, request_id=error.request_id)
