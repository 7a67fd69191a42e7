"""Runs a task when the process ends."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable

_LAST = -100
"""Priority after the finalizers of the app, and after the wait for its child processes."""


class ExitHook:
    """A task that runs when the process ends, unless it is removed before. It may run twice."""

    def __init__(self, task: Callable[[], None]) -> None:
        self._task = task
        atexit.register(task)
        self._remove: Callable[[], object] = bool
        # Before Python 3.14, forked processes of multiprocessing run only these. They have imported the module.
        if "multiprocessing.util" in sys.modules:
            from multiprocessing.util import Finalize

            self._remove = Finalize(None, task, exitpriority=_LAST).cancel

    def remove(self) -> None:
        """Remove the task."""
        atexit.unregister(self._task)
        self._remove()
