"""Keeps prompts current after frames, lost connections and at intervals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from .._cache.entry import Ack, Entry
from .._cache.stored import Stored
from .._errors import NotFound, PromptdeckError, Unavailable
from .._http.service import Service
from .._loop.tasks import Tasks, logger
from .._options import Times
from .prompts import Prompts

_MAX_CONCURRENT = 4
"""Maximum number of concurrent background fetches, so that calls of the app find a free connection."""

Acknowledge = Callable[[int, str, str], Awaitable[None]]
"""Sends `ack` with seq, key and version."""


class Follower:
    """Fetches conditionally, and repeats until it succeeds."""

    def __init__(self, prompts: Prompts, service: Service, tasks: Tasks, times: Times) -> None:
        self._prompts = prompts
        self._service = service
        self._tasks = tasks
        self._times = times
        self._clock = asyncio.get_running_loop().time
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)
        self.acknowledge: Acknowledge = _no_connection

    def follow(self, entry: Entry, ack: Ack | None = None) -> None:
        """Fetch the prompt again until it succeeds, then acknowledge the result."""
        entry.is_wanted = True
        if ack is not None and (entry.ack is None or ack.seq >= entry.ack.seq):
            entry.ack = ack
        if entry.follower is None:
            entry.follower = self._tasks.spawn(self._follow(entry))

    def cancel(self, entry: Entry) -> None:
        """Cancel pending work of a deleted prompt."""
        entry.is_wanted = False
        entry.ack = None

    async def poll(self) -> None:
        """Check all prompts in use once, because no connection announces changes."""
        await asyncio.gather(*(self._check(entry) for entry in self._prompts.entries() if entry.is_followed))

    async def prefetch(self, keys: Sequence[str]) -> None:
        """Fetch these keys. Raises only if no prompt or copy of any of them is available."""
        entries = [self._prompts.entry(key) for key in dict.fromkeys(keys)]
        if not entries:
            return
        fetches = [asyncio.ensure_future(self._prefetch(entry)) for entry in entries]
        try:
            await asyncio.wait(fetches, timeout=self._times.request)
        finally:
            for fetch in fetches:
                fetch.cancel()
        if any(entry.missing is not None or self._prompts.has_copy(entry.key) for entry in entries):
            return
        error = next((entry.error for entry in entries if entry.error is not None), None)
        raise Unavailable("No prompt was fetched within the time limit.") if error is None else error.again()

    async def prefetch_all(self) -> None:
        """Fetch all served prompts. Raises only if no prompt or copy at all is available."""
        error: PromptdeckError
        try:
            await asyncio.wait_for(self._pages(), self._times.request)
            return
        except asyncio.TimeoutError:
            error = Unavailable("Not all prompts were fetched within the time limit.")
        except PromptdeckError as failure:
            error = failure
        if not self._prompts.has_any_copy():
            raise error
        logger.warning("not all prompts could be prefetched: %s", error)

    async def _pages(self) -> None:
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen:
            seen.add(cursor)
            cursor = await self._page(cursor)
            if cursor is None:
                return

    async def _page(self, cursor: str | None) -> str | None:
        """Fetch and store one page of all prompts. Returns the cursor of the next, or None."""
        revisions = self._prompts.revisions()
        connection_number = self._prompts.connection_number
        self._prompts.open_lists += 1
        try:
            page = await self._service.prompts(cursor)
        finally:
            self._prompts.open_lists -= 1
        for stored in page.prompts:
            self._prompts.accept(stored, revisions.get(stored.key, 0))
            if self._prompts.connection_number not in (None, connection_number):
                # Changes between the request and the new connection were not announced.
                self.follow(self._prompts.entry(stored.key))
        return page.next_cursor

    async def _check(self, entry: Entry) -> None:
        async with self._slots:
            if self._prompts.may_fetch(entry):
                await self._prompts.fetch(entry)
                self._prompts.announce(entry)

    async def _prefetch(self, entry: Entry) -> None:
        async with self._slots:
            if self._prompts.may_fetch(entry) and not self._prompts.is_missing(entry):
                await self._prompts.fetch(entry)
                self._prompts.remember(entry)

    async def _follow(self, entry: Entry) -> None:
        try:
            while entry.is_wanted:
                await self._until_allowed(entry)
                async with self._slots:
                    await self._fetch_again(entry)
        finally:
            entry.follower = None

    async def _fetch_again(self, entry: Entry) -> None:
        if entry.fetch is not None:
            # The fetch in progress began before the change and may have missed it.
            await asyncio.wait([entry.fetch])
        if not entry.is_wanted or self._clock() < entry.retry_at:
            return
        entry.is_wanted = False
        ack, entry.ack = entry.ack, None
        outcome = await self._prompts.fetch(entry)
        if isinstance(outcome, Stored):
            self._prompts.announce(entry)
            await self._acknowledge(entry, ack, outcome)
        elif not isinstance(outcome, NotFound):
            entry.is_wanted = True
            entry.ack = entry.ack or ack

    async def _acknowledge(self, entry: Entry, ack: Ack | None, fetched: Stored) -> None:
        """Acknowledge the newest frame if it announced the fetched version; else that frame has its own fetch."""
        if entry.ack is not None:
            if entry.ack.version != fetched.version:
                return
            ack, entry.ack = entry.ack, None
        if ack is not None and fetched.version is not None:
            await self.acknowledge(ack.seq, entry.key, fetched.version)

    async def _until_allowed(self, entry: Entry) -> None:
        while (delay := entry.retry_at - self._clock()) > 0:
            entry.retry_soon.clear()
            try:
                await asyncio.wait_for(entry.retry_soon.wait(), delay)
            except asyncio.TimeoutError:
                continue


async def _no_connection(_seq: int, _key: str, _version: str) -> None:
    """Do nothing: there is no connection yet."""
