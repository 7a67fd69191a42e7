"""Runs a task when the process ends."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable


class ExitHook:
    """A task that runs when the process ends, unless it is removed before. It may run twice."""

    def __init__(self, task: Callable[[], None]) -> None:
        self._task = task
        atexit.register(task)
        self._remove: Callable[[], object] = bool
        # Before Python 3.14, forked processes of multiprocessing run only its finalizers. They have imported it.
        if "multiprocessing.util" in sys.modules:
            from multiprocessing.util import Finalize

            # A negative priority: after the wait for child processes.
            self._remove = Finalize(None, task, exitpriority=-100).cancel

    def remove(self) -> None:
        """Remove the task."""
        atexit.unregister(self._task)
        self._remove()
