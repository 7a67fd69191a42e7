"""State of one key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from .._backoff import retry_delay
from .._errors import NotFound, PromptdeckError
from .._options import Times
from .stored import Stored

Outcome = Stored | PromptdeckError
"""Result of a fetch. Errors are not raised, because several callers or none may wait for one fetch."""


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgement to send once a change was fetched."""

    seq: int
    version: str | None = None
    """The version that the frame announced, if any."""


@dataclass
class Entry:
    """State of one key. Times are those of the event loop's clock, in seconds."""

    key: str
    is_watched: bool = False
    cached: Stored | None = None
    """The prompt in memory, as last confirmed by the service."""
    delivered: Stored | None = None
    """The last prompt that the app received; an `update` is due when `cached` differs."""
    was_reported_missing: bool = False
    """True after a NotFound result or a deletion; with nothing received since, a new prompt is also an `update`."""
    confirmed_at: float = 0
    missing: NotFound | None = None
    missing_until: float = 0
    failures: int = 0
    retry_at: float = 0
    error: PromptdeckError | None = None
    """Error of the last fetch, if it failed."""
    revision: int = 0
    """Counts confirmed states, so that an older reply cannot replace a newer one."""
    handled_seq: int = -1
    ack: Ack | None = None
    """Acknowledgement of the newest frame that is not yet processed."""
    is_wanted: bool = False
    """True if something may have changed since the last fetch began."""
    fetch: asyncio.Task[Outcome] | None = None
    follower: asyncio.Task[None] | None = None
    retry_soon: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_followed(self) -> bool:
        """True if changes matter to the app: it has the prompt, or watches it."""
        return self.is_watched or self.cached is not None or self.delivered is not None

    def confirmed(self, stored: Stored, now: float) -> None:
        """Store a prompt that the service confirmed."""
        self.cached = stored
        self.confirmed_at = now
        self.missing = None
        self.revision += 1
        self.clear_failures()

    def mark_missing(self, error: NotFound, until: float) -> None:
        """Record that nothing is served under the key."""
        self.cached = None
        self.missing = error
        self.missing_until = until
        self.revision += 1
        self.clear_failures()

    def failed(self, error: PromptdeckError, now: float, times: Times) -> None:
        """Record a failed fetch, and start the backoff."""
        self.failures += 1
        self.error = error
        pause = retry_delay(self.failures, times)
        self.retry_at = now + max(pause, error.retry_after_s or 0)

    def clear_failures(self) -> None:
        """End the backoff."""
        self.failures = 0
        self.retry_at = 0
        self.error = None
        self.retry_soon.set()
