"""What a client knows about one key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ._backoff import retry_delay
from ._errors import NotFound, PromptdeckError
from ._options import Times
from ._stored import Stored

Outcome = Stored | PromptdeckError
"""How a fetch ended. Not raised: several may wait for one fetch, or nobody."""


@dataclass(frozen=True, slots=True)
class Ack:
    """What to tell the service once a change was followed."""

    seq: int
    version: str | None = None
    """What the frame announced, if it did."""


@dataclass
class Entry:
    """Times are those of the event loop's clock, in seconds."""

    key: str
    is_watched: bool = False
    held: Stored | None = None
    """In memory: what the service said last."""
    told: Stored | None = None
    """What the app was given or told of last; an `update` is due when something else is held."""
    was_told_gone: bool = False
    """The app was told once that there is nothing: with nothing told since, what comes again is an `update`, too."""
    confirmed_at: float = 0
    missing: NotFound | None = None
    missing_until: float = 0
    failures: int = 0
    retry_at: float = 0
    error: PromptdeckError | None = None
    """Of the last fetch, when it failed."""
    revision: int = 0
    """Counts what the service said, so that an older answer cannot replace a newer one."""
    handled_seq: int = -1
    ack: Ack | None = None
    """Of the newest frame that is not followed yet."""
    is_wanted: bool = False
    """Something may have changed since the last fetch began."""
    fetch: asyncio.Task[Outcome] | None = None
    follower: asyncio.Task[None] | None = None
    retry_soon: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_followed(self) -> bool:
        """Whether changes matter to the app: it has the prompt, or watches for it."""
        return self.is_watched or self.held is not None or self.told is not None

    def confirmed(self, stored: Stored, now: float) -> None:
        """The service said that this is what it serves."""
        self.held = stored
        self.confirmed_at = now
        self.missing = None
        self.revision += 1
        self.forget_failures()

    def gone(self, error: NotFound, until: float) -> None:
        """The service said that there is nothing."""
        self.held = None
        self.missing = error
        self.missing_until = until
        self.revision += 1
        self.forget_failures()

    def failed(self, error: PromptdeckError, now: float, times: Times) -> None:
        """The service could not say."""
        self.failures += 1
        self.error = error
        pause = retry_delay(self.failures, times)
        self.retry_at = now + max(pause, error.retry_after_s or 0)

    def forget_failures(self) -> None:
        """The next fetch need not wait."""
        self.failures = 0
        self.retry_at = 0
        self.error = None
        self.retry_soon.set()
