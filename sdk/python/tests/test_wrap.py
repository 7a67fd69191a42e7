from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
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


def test_a_plain_function_around_an_async_one_is_measured(service: Service, options: dict[str, Any]) -> None:
    async def answer(text: str) -> str:
        await asyncio.sleep(0.05)
        return text[0]

    with Client(**options) as client:
        wrapped = client.wrap(provider="p", model="m")(lambda text: answer(text))
        assert asyncio.run(wrapped("yes")) == "y"
        with pytest.raises(IndexError):
            asyncio.run(wrapped(""))
    assert [(run["status"], run["latency_ms"] >= 50) for run in service.runs] == [("ok", True), ("error", True)]


def test_an_exception_without_a_text_is_raised_unchanged(service: Service, options: dict[str, Any]) -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise KeyError("text")

    async def answer() -> None:
        raise SilentError

    with Client(**options) as client, pytest.raises(SilentError):
        asyncio.run(client.wrap(provider="p", model="m")(answer)())
    assert [run["error"] for run in service.runs] == ["SilentError"]


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


def test_values_without_a_json_form_are_reported_as_in_templates(service: Service, options: dict[str, Any]) -> None:
    with Client(**options) as client:
        run = {"provider": "p", "model": "m", "latency_ms": 1, "status": "ok"}
        client.report_run(
            {**run, "metadata": {"on": date(2026, 11, 27), "cost": Decimal("1.50"), "score": float("nan")}}
        )
        cyclic: dict[str, Any] = {}
        cyclic["self"] = cyclic
        for invalid in ({"metadata": cyclic}, {"latency_ms": float("nan")}, {"latency_ms": 10**400}):
            with pytest.raises(Invalid):
                client.report_run({**run, **invalid})
    assert [run["metadata"] for run in service.runs] == [{"on": "2026-11-27", "cost": "1.50", "score": None}]
