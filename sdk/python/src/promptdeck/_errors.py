"""All errors that this package raises, or reports with the `error` event."""

from __future__ import annotations

import copy
from typing import ClassVar, TypeVar

_E = TypeVar("_E", bound="PromptdeckError")


class PromptdeckError(Exception):
    """Base class of all errors. `code` is stable and equal in all languages; the message is for people."""

    code: ClassVar[str] = "Error"

    def __init__(self, message: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """HTTP status of the reply, if there was one."""
        self.request_id = request_id
        """Id of the request in the service's log."""
        self.retry_after_s: float | None = None
        """Seconds to wait before the next attempt, as the service asked (`Retry-After`)."""
        self.is_about_time = False
        """True if the service rejected the time of a run: its clock and that of this machine differ."""

    def again(self: _E) -> _E:
        """Return a copy to raise: raising one object twice would accumulate tracebacks."""
        return copy.copy(self).with_traceback(None)


class Invalid(PromptdeckError):
    """An invalid option, argument or run: a retry does not help."""

    code = "Invalid"


class NotFound(PromptdeckError):
    """Nothing is published under the key, or no longer."""

    code = "NotFound"


class Unauthorized(PromptdeckError):
    """The service rejects the token (401): set another with `set_token`."""

    code = "Unauthorized"


class Forbidden(PromptdeckError):
    """The token is valid but has no permission for this (403)."""

    code = "Forbidden"


class Unavailable(PromptdeckError):
    """The service is not available, and there is no copy."""

    code = "Unavailable"


class Closed(PromptdeckError):
    """The client is closed."""

    code = "Closed"


class Dropped(PromptdeckError):
    """Reported runs were lost because the queue was full; `count` is their number."""

    code = "Dropped"

    def __init__(self, message: str, *, count: int) -> None:
        super().__init__(message)
        self.count = count

    def __reduce__(self) -> tuple[object, ...]:
        return _make_dropped, (self.message, self.count)


def _make_dropped(message: str, count: int) -> Dropped:
    return Dropped(message, count=count)
