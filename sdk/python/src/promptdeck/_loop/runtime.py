"""A thread with the event loop of one client."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from .._errors import Closed

T = TypeVar("T")


class Runtime:
    """Accepts work from any thread. The thread is a daemon: it does not keep the interpreter running."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_DaemonExecutor(max_workers=1))
        # Reentrant: a signal handler may call the client while its thread is in a call.
        self._lock = threading.RLock()
        self._is_stopped = False
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._main, name="promptdeck-loop", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T], *inner: Coroutine[Any, Any, Any]) -> Future[T]:
        """Run a coroutine in the loop. If that is impossible, it is closed, and so are those that it would await."""
        try:
            self.require_own_process()
            with self._running():
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        except Closed:
            for coroutine in (work, *inner):
                coroutine.close()
            raise

    def post(self, callback: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop, without waiting for it."""
        self.require_own_process()
        with self._running():
            self._loop.call_soon_threadsafe(callback, *arguments)

    def stop(self) -> None:
        """End the thread and its tasks."""
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def require_own_process(self) -> None:
        """Raise `Closed` in a forked process: its locks may be held forever."""
        if self._process != os.getpid():
            raise Closed("The client was created before a fork. Create one in each process.")

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Keep the loop running during the block. Raises `Closed`, also if a signal handler closes the client in it."""
        with self._lock:
            self._require_running()
            try:
                yield
            except RuntimeError:
                self._require_running()
                raise

    def _require_running(self) -> None:
        if self._is_stopped:
            raise Closed("The client is closed. Create a new one.")

    def _main(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            # Coroutines submitted last take their first step, and get `Closed`.
            self._loop.run_until_complete(asyncio.sleep(0))
            remaining = asyncio.all_tasks(self._loop)
            for task in remaining:
                task.cancel()
            if remaining:
                self._loop.run_until_complete(asyncio.wait(remaining))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


class _DaemonExecutor(ThreadPoolExecutor):
    """Executor for asyncio's name lookups. The default one delays the interpreter's exit until its threads end."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - passed to the waiting caller
                future.set_exception(error)
            else:
                future.set_result(result)

        try:
            threading.Thread(target=work, name="promptdeck-lookup", daemon=True).start()
        except RuntimeError:
            # No thread can start: the limit is reached, or the interpreter of Python 3.12 ends.
            work()
        return future
