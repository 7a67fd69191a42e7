"""Reported runs: queued, sent in batches, retried in the background."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .._backoff import retry_delay
from .._errors import Dropped, Invalid, PromptdeckError
from .._http.service import Service
from .._loop.tasks import Tasks, logger
from .._models import ErrorEvent
from .._options import Times

_MAX_BATCH: Final = 100
_MAX_QUEUED: Final = 1000
_DROPPED_INTERVAL_S: Final = 1.0


@dataclass(slots=True)
class Report:
    """A run, validated and encoded when it was reported, so that later changes by the app have no effect."""

    client_run_id: str
    json: bytes
    created_at: str | None
    """Sent with the run; None if the app gave a time, or if the service rejected this one."""

    @property
    def body(self) -> bytes:
        """The JSON to send."""
        if self.created_at is None:
            return self.json
        return self.json[:-1] + f',"created_at":"{self.created_at}"}}'.encode()


@dataclass(frozen=True, slots=True)
class _Queued:
    number: int
    at: float
    report: Report


class Reporter:
    """Sends one request at a time, oldest runs first."""

    def __init__(self, service: Service, times: Times, tasks: Tasks, emit: Callable[[ErrorEvent], None]) -> None:
        self._service = service
        self._times = times
        self._tasks = tasks
        self._emit = emit
        self._clock = asyncio.get_running_loop().time
        self._queue: deque[_Queued] = deque()
        self._count = 0
        self._flush_to = 0
        self._changed = asyncio.Event()
        self._finished = asyncio.Condition()
        self._is_running = False
        self._in_request = 0
        """Number of runs at the front in the current request."""
        self._retry_size = 0
        """Number of runs at the front that failed to be sent; a retry sends them together."""
        self._single = 0
        """Number of runs at the front of a rejected batch, to be sent one by one."""
        self._failures = 0
        self._retry_at = 0.0
        self._not_before = 0.0
        """Earliest time of the next request as the service asked; nothing shortens it."""
        self._dropped = 0
        self._is_reporting = False

    def add(self, report: Report) -> None:
        """Queue a run."""
        if len(self._queue) == _MAX_QUEUED:
            self._drop_oldest()
        self._count += 1
        self._queue.append(_Queued(self._count, self._clock(), report))
        self._changed.set()
        if not self._is_running:
            self._is_running = True
            self._tasks.spawn(self._run())

    async def flush(self) -> None:
        """Send the queued runs without waiting for the backoff, for at most `request_ms`."""
        last = self._flush_to = self._count
        self.retry_now()
        try:
            await asyncio.wait_for(self._until_finished(last), self._times.request)
        except asyncio.TimeoutError:
            logger.info("%d runs are not sent yet", len(self._queue))

    async def send_last(self) -> None:
        """Send the queued runs, until a request fails."""
        self._flush_to = self._count
        self._changed.set()
        async with self._finished:
            await self._finished.wait_for(lambda: not self._queue or self._failures > 0)

    async def close(self) -> int:
        """Flush. Returns how many runs could not be sent."""
        if self._queue:
            await self.flush()
        self._emit_dropped()
        return len(self._queue)

    def retry_now(self) -> None:
        """End the backoff, but not the wait that the service asked for."""
        self._failures = 0
        self._retry_at = self._not_before
        self._changed.set()

    async def _until_finished(self, number: int) -> None:
        async with self._finished:
            await self._finished.wait_for(lambda: not self._queue or self._queue[0].number > number)

    async def _run(self) -> None:
        while self._queue:
            self._changed.clear()
            delay = self._delay()
            if delay <= 0:
                await self._send()
                continue
            try:
                await asyncio.wait_for(self._changed.wait(), delay)
            except asyncio.TimeoutError:
                continue
        self._is_running = False

    def _delay(self) -> float:
        """Return the seconds until the next request."""
        first = self._queue[0]
        is_due = (
            self._retry_size > 0 or self._single > 0 or len(self._queue) >= _MAX_BATCH or first.number <= self._flush_to
        )
        due_at = 0.0 if is_due else first.at + self._times.report
        return max(due_at, self._retry_at) - self._clock()

    async def _send(self) -> None:
        size = 1 if self._single else self._retry_size or min(_MAX_BATCH, len(self._queue))
        batch = [self._queue[index].report for index in range(size)]
        self._in_request = size
        try:
            await self._service.report(b"[" + b",".join(report.body for report in batch) + b"]")
        except Invalid as error:
            self._succeeded()
            if error.is_about_time and _remove_times(batch):
                self._retry_size = 0 if self._single else size
            elif size > 1:
                self._single = size
            else:
                self._pop(1)
                self._emit(ErrorEvent(_rejected(batch[0], error)))
        except PromptdeckError as error:
            self._failed(error)
            self._retry_size = 0 if self._single else size
        else:
            self._succeeded()
            self._pop(size)
        finally:
            self._in_request = 0
            async with self._finished:
                self._finished.notify_all()

    def _succeeded(self) -> None:
        self._failures = 0
        self._retry_size = 0

    def _failed(self, error: PromptdeckError) -> None:
        self._failures += 1
        pause = retry_delay(self._failures, self._times)
        self._not_before = self._clock() + (error.retry_after_s or 0)
        self._retry_at = max(self._clock() + pause, self._not_before)
        if self._failures == 1:
            logger.info("runs could not be sent and stay queued: %s", error)

    def _pop(self, count: int) -> None:
        for _ in range(count):
            self._queue.popleft()
        self._single = max(0, self._single - count)

    def _drop_oldest(self) -> None:
        """Drop the oldest run that is not in the current request, which may still arrive."""
        at = self._in_request
        del self._queue[at]
        if at < self._retry_size:
            self._retry_size -= 1
        if at < self._single:
            self._single -= 1
        self._dropped += 1
        if not self._is_reporting:
            self._is_reporting = True
            self._tasks.spawn(self._emit_dropped_regularly())

    async def _emit_dropped_regularly(self) -> None:
        while self._dropped:
            self._emit_dropped()
            await asyncio.sleep(_DROPPED_INTERVAL_S)
        self._is_reporting = False

    def _emit_dropped(self) -> None:
        count, self._dropped = self._dropped, 0
        if count:
            message = f"{count} reported runs were dropped, the oldest first, because {_MAX_QUEUED} are queued."
            self._emit(ErrorEvent(Dropped(message, count=count)))


def _remove_times(batch: list[Report]) -> bool:
    """Remove the times that this client set. Return False if there are none."""
    timed = [report for report in batch if report.created_at is not None]
    for report in timed:
        report.created_at = None
    return bool(timed)


def _rejected(report: Report, error: Invalid) -> Invalid:
    message = f'The run "{report.client_run_id}" was rejected and dropped. {error.message}'
    return Invalid(message, status=error.status, request_id=error.request_id)
