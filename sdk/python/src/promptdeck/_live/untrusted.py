"""Reports a certificate that failed verification."""

from __future__ import annotations

from collections.abc import Callable

from .._errors import Unavailable
from .._models import ErrorEvent, Event
from .websocket import UntrustedError


class UntrustedReports:
    """Emits a problem of the certificate once, not at each attempt to connect."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._reported: str | None = None

    def report(self, error: Unavailable) -> None:
        """Emit the error if it is about the certificate, and not yet reported."""
        if isinstance(error, UntrustedError) and error.message != self._reported:
            self._reported = error.message
            self._emit(ErrorEvent(Unavailable(error.message)))

    def reset(self) -> None:
        """Handle an open connection: the next problem is a new one."""
        self._reported = None
