"""The decorator that reports calls of a function."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar, cast

from .._errors import Invalid
from .run import failure_of

P = ParamSpec("P")
R = TypeVar("R")

Usage = Callable[[Any], Mapping[str, Any]]
Report = Callable[[Mapping[str, Any]], None]


def wrapper(
    fields: Mapping[str, Any], usage: Usage | None, report: Report, report_error: Callable[[Invalid], None]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Create a decorator for plain and async functions. Neither `report` nor `report_error` may raise."""

    def measure(result: Any) -> Mapping[str, Any]:
        if usage is None:
            return {}
        try:
            return dict(usage(result))
        except Exception as error:  # noqa: BLE001 - a failure here must not affect the app's call
            report_error(Invalid(f"usage failed; the run was reported without it ({type(error).__name__}: {error})."))
            return {}

    @contextmanager
    def timed() -> Iterator[list[Any]]:
        """Report the result of the block, which it puts into the list."""
        results: list[Any] = []
        started = time.perf_counter()

        def elapsed_ms() -> float:
            return round((time.perf_counter() - started) * 1000, 3)

        try:
            yield results
        except BaseException as error:
            report({**fields, "latency_ms": elapsed_ms(), "status": "error", **failure_of(error)})
            raise
        if inspect.iscoroutine(results[0]):
            # From a plain function around an async one, such as a method of a model's SDK: awaiting it is the call.
            results[0] = awaited(results[0])
            return
        latency = elapsed_ms()
        report({**fields, "latency_ms": latency, "status": "ok", **measure(results[0])})

    async def awaited(work: Awaitable[Any]) -> Any:
        with timed() as results:
            results.append(await work)
        return results[0]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise Invalid("A generator function cannot be measured. Call report_run when its stream has ended.")
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                return await awaited(function(*args, **kwargs))

            return cast("Callable[P, R]", call_async)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with timed() as results:
                results.append(function(*args, **kwargs))
            return cast(R, results[0])

        return call

    return decorate
