"""Runs listeners outside the client's own thread, so that they may call the client."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from .._errors import Invalid
from .._events import Deliver
from .._models import Event
from .tasks import logger

Listener = Callable[[Any], object]

_END: Final = object()


class ThreadDispatcher:
    """Calls listeners one after the other in a separate daemon thread."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()

    def wrap(self, listener: Listener) -> Deliver:
        """Return a function that queues events for the listener."""
        if inspect.iscoroutinefunction(listener):
            raise Invalid("Client accepts plain functions as listeners; use AsyncClient for async functions.")
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._main, name="promptdeck-events", daemon=True)
                self._thread.start()
        return lambda event: self._queue.put((listener, event))

    def close(self, seconds: float) -> None:
        """Wait until emitted events are delivered, for at most `seconds`."""
        with self._lock:
            thread = self._thread
        if thread is None:
            return
        self._queue.put(_END)
        if thread is not threading.current_thread():
            thread.join(seconds)

    def _main(self) -> None:
        while (item := self._queue.get()) is not _END:
            listener, event = item
            try:
                listener(event)
            except Exception:
                logger.exception("a listener failed")


class LoopDispatcher:
    """Calls listeners in the event loop that was running when they were added."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def wrap(self, listener: Listener) -> Deliver:
        """Return a function that passes events to the listener's loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise Invalid("Call on() in a running event loop, because listeners are called in it.") from None

        def deliver(event: Event) -> None:
            # A closed loop, which raises, gets no more events.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._call, listener, event)

        return deliver

    def close(self, seconds: float) -> None:
        """Do nothing: emitted events are in the loop's queue before the result of `close()`."""

    def _call(self, listener: Listener, event: Event) -> None:
        try:
            result = listener(event)
        except Exception:
            logger.exception("a listener failed")
            return
        if inspect.iscoroutine(result):
            task = asyncio.get_running_loop().create_task(_logged(result))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _logged(work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except Exception:
        logger.exception("a listener failed")
