"""Listeners by event."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ._errors import Invalid
from ._models import ConnectEvent, DisconnectEvent, ErrorEvent, Event, EventName, ResyncEvent, UpdateEvent

Deliver = Callable[[Event], None]
"""Passes an event to a listener, in the thread or loop of that listener. Never raises, never waits."""

_CLASSES: dict[EventName, type[Event]] = {
    "connect": ConnectEvent,
    "disconnect": DisconnectEvent,
    "update": UpdateEvent,
    "resync": ResyncEvent,
    "error": ErrorEvent,
}


class Emitter:
    """Emits events in order. Listeners may be added and removed from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._listeners: dict[type[Event], list[Deliver]] = {event_class: [] for event_class in _CLASSES.values()}

    def add(self, name: EventName, deliver: Deliver) -> Callable[[], None]:
        """Add a listener; returns a function that removes it."""
        if name not in _CLASSES:
            raise Invalid(f'Unknown event "{name}". The events are {", ".join(_CLASSES)}.')
        listeners = self._listeners[_CLASSES[name]]
        with self._lock:
            listeners.append(deliver)

        def stop() -> None:
            with self._lock:
                if deliver in listeners:
                    listeners.remove(deliver)

        return stop

    def emit(self, event: Event) -> None:
        """Pass the event to all its listeners."""
        with self._lock:
            listeners = tuple(self._listeners[type(event)])
        for deliver in listeners:
            deliver(event)
