"""Everything this package raises, or tells with the `error` event."""

from __future__ import annotations

import copy
from typing import ClassVar, TypeVar

_E = TypeVar("_E", bound="PromptdeckError")


class PromptdeckError(Exception):
    """The base of all errors. `code` is stable and the same in every language; the message is for people."""

    code: ClassVar[str] = "Error"

    def __init__(self, message: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """HTTP status the service answered with, if it did."""
        self.request_id = request_id
        """What the service's own log calls that request."""
        self.retry_after_s: float | None = None
        """Seconds the service asked to wait before the next try (`Retry-After`)."""

    def again(self: _E) -> _E:
        """A copy to raise: raising one object twice would pile up tracebacks on it."""
        return copy.copy(self).with_traceback(None)


class Invalid(PromptdeckError):
    """An option, argument or run that cannot be right: repeating it changes nothing."""

    code = "Invalid"


class NotFound(PromptdeckError):
    """Nothing is published under that key, or no longer."""

    code = "NotFound"


class Unauthorized(PromptdeckError):
    """The service refuses the token (401): set another with `set_token`."""

    code = "Unauthorized"


class Forbidden(PromptdeckError):
    """The token is right, but not for this (403)."""

    code = "Forbidden"


class Unavailable(PromptdeckError):
    """The service could not say, and no copy is at hand."""

    code = "Unavailable"


class Closed(PromptdeckError):
    """The client was closed."""

    code = "Closed"


class Dropped(PromptdeckError):
    """Reported runs that were lost because the queue was full; `count` says how many."""

    code = "Dropped"

    def __init__(self, message: str, *, count: int) -> None:
        super().__init__(message)
        self.count = count

    def __reduce__(self) -> tuple[object, ...]:
        return _make_dropped, (self.message, self.count)


def _make_dropped(message: str, count: int) -> Dropped:
    return Dropped(message, count=count)
