"""The position in the service's sequence of events."""

from __future__ import annotations


class Position:
    """Knows which events were received, and from where a connection resumes."""

    def __init__(self) -> None:
        self._received: int | None = None
        self._replay_end: int | None = None
        """Number of a hello whose missed events may not all have arrived yet."""

    @property
    def since(self) -> int | None:
        """Number from which to resume; None for the first connection."""
        return self._received

    @property
    def newest(self) -> int | None:
        """Highest number that the service has named."""
        return self._received if self._received is None else max(self._received, self._replay_end or 0)

    def hello(self, seq: int) -> None:
        # Missed events follow this hello. Until they have arrived, only the old position is safe to resume from.
        if self._received is None:
            self._received = seq
        else:
            self._replay_end = seq

    def received(self, seq: int) -> None:
        self._received = seq if self._received is None else max(self._received, seq)
        if self._replay_end is not None and seq >= self._replay_end:
            self._replay_end = None

    def pong(self) -> None:
        """Note a pong, which the service sends after the replay."""
        if self._replay_end is not None:
            self.received(self._replay_end)

    def restart(self, seq: int) -> None:
        self._received = seq
        self._replay_end = None

    def ended(self) -> None:
        self._replay_end = None
