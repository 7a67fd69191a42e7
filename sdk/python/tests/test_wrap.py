from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Service

from promptdeck import AsyncClient, Client, ErrorEvent, Invalid


class RateLimitError(Exception):
    pass


def test_plain_functions_keep_their_signature(service: Service, options: dict[str, Any]) -> None:
    with Client(**options) as client:

        @client.wrap(provider="p", model="m", ref_key="greet", usage=lambda text: {"output_tokens": len(text)})
        def answer(text: str, *, loud: bool = False) -> str:
            """Says it."""
            return text.upper() if loud else text

        assert answer("abc", loud=True) == "ABC"
        assert answer.__doc__ == "Says it."
        assert list(inspect.signature(answer).parameters) == ["text", "loud"]
        client.flush()
    assert [(run["status"], run["ref_key"], run["output_tokens"]) for run in service.runs] == [("ok", "greet", 3)]


def test_async_functions_stay_async(service: Service, options: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with AsyncClient(**options) as client:

            @client.wrap(provider="p", model="m")
            async def answer() -> str:
                await asyncio.sleep(0.05)
                return "yes"

            assert inspect.iscoroutinefunction(answer)
            assert await answer() == "yes"

    asyncio.run(scenario())
    [run] = service.runs
    assert run["latency_ms"] >= 50


def test_a_cancelled_call_is_reported(service: Service, options: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with AsyncClient(**options) as client:
            started = asyncio.Event()

            @client.wrap(provider="p", model="m")
            async def answer() -> None:
                started.set()
                await asyncio.Event().wait()

            call = asyncio.ensure_future(answer())
            await started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    asyncio.run(scenario())
    assert [(run["status"], run["error_type"]) for run in service.runs] == [("error", "cancelled_error")]


def test_an_exception_is_reraised_and_reported(service: Service, options: dict[str, Any]) -> None:
    with Client(**options) as client:

        @client.wrap(provider="p", model="m")
        def answer() -> None:
            raise RateLimitError("slow down")

        with pytest.raises(RateLimitError, match="slow down"):
            answer()
    assert [(run["error_type"], run["error"]) for run in service.runs] == [("rate_limit_error", "slow down")]


def test_a_failing_usage_does_not_affect_the_call(service: Service, options: dict[str, Any]) -> None:
    errors: list[ErrorEvent] = []
    with Client(**options) as client:
        client.on("error", errors.append)
        assert client.wrap(provider="p", model="m", usage=lambda result: result["no"])(dict)() == {}
    assert len(service.runs) == 1
    assert [type(event.error) for event in errors] == [Invalid]


def test_a_wrapped_function_works_after_close(options: dict[str, Any]) -> None:
    client = Client(**options)
    answer = client.wrap(provider="p", model="m")(lambda: "yes")
    client.close()
    assert answer() == "yes"


def test_invalid_fields_are_rejected_when_wrapping(options: dict[str, Any]) -> None:
    with Client(**options) as client:
        with pytest.raises(Invalid, match="provider"):
            client.wrap(provider="", model="m")

        def stream() -> Iterator[str]:
            yield "a"

        with pytest.raises(Invalid, match="generator function"):
            client.wrap(provider="p", model="m")(stream)
