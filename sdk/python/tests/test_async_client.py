from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from conftest import Service

from promptdeck import AsyncClient, Closed, ErrorEvent, Invalid, UpdateEvent


def test_listeners_run_in_the_loop_that_added_them(service: Service, options: dict[str, Any]) -> None:
    async def scenario() -> None:
        service.put("greet", "v1", "Hi")
        received: asyncio.Queue[tuple[UpdateEvent, threading.Thread]] = asyncio.Queue()

        async def listener(event: UpdateEvent) -> None:
            await asyncio.sleep(0)
            received.put_nowait((event, threading.current_thread()))

        options["timings"]["stale_ms"] = 0.001
        async with AsyncClient(**options) as client:
            client.on("update", listener)
            assert (await client.get_prompt("greet")).source == "network"
            service.put("greet", "v2", "Hello")
            assert (await client.get_prompt("greet")).version == "v1"
            event, thread = await asyncio.wait_for(received.get(), 5)
            assert (event.previous_version, event.version) == ("v1", "v2")
            assert thread is threading.current_thread()

    asyncio.run(scenario())


def test_an_exception_of_a_listener_does_not_affect_others(
    service: Service, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        service.rejects_runs = True
        received: asyncio.Queue[ErrorEvent] = asyncio.Queue()

        async def failing(_event: ErrorEvent) -> None:
            raise ValueError("on purpose")

        async with AsyncClient(**options) as client:
            client.on("error", failing)
            client.on("error", received.put_nowait)
            client.report_run({"provider": "p", "model": "m", "latency_ms": 1, "status": "ok"})
            event = await asyncio.wait_for(received.get(), 5)
            assert isinstance(event.error, Invalid)

    asyncio.run(scenario())
    assert "a listener failed" in caplog.text


def test_cancelling_one_caller_does_not_affect_others(service: Service, options: dict[str, Any]) -> None:
    async def scenario() -> None:
        service.put("greet", "v1", "Hi")
        service.may_reply.clear()
        async with AsyncClient(**options) as client:
            first = asyncio.ensure_future(client.get_prompt("greet"))
            second = asyncio.ensure_future(client.get_prompt("greet"))
            await asyncio.to_thread(service.has_request.wait, 5)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            service.may_reply.set()
            assert (await second).version == "v1"
        assert service.requests == ["/api/sdk/prompts/greet"]

    asyncio.run(scenario())


def test_a_client_can_be_used_by_consecutive_loops(service: Service, options: dict[str, Any]) -> None:
    service.put("greet", "v1", "Hi {{who}}")
    client = AsyncClient(**options)
    assert asyncio.run(client.render("greet", {"who": "Ada"})) == "Hi Ada"
    assert asyncio.run(client.render("greet", {"who": "Bob"})) == "Hi Bob"
    assert asyncio.run(client.close()) == 0


def test_closing_ends_waiting_calls(service: Service, options: dict[str, Any]) -> None:
    async def scenario() -> None:
        service.may_reply.clear()
        client = AsyncClient(**options)
        waiting = asyncio.ensure_future(client.get_prompt("greet"))
        await asyncio.to_thread(service.has_request.wait, 5)
        assert await client.close() == 0
        with pytest.raises(Closed):
            await waiting
        with pytest.raises(Closed):
            await client.get_prompt("greet")
        assert await client.close() == 0

    asyncio.run(scenario())


def test_adding_a_listener_requires_a_loop(options: dict[str, Any]) -> None:
    client = AsyncClient(**options)
    with pytest.raises(Invalid, match="event loop"):
        client.on("update", print)
    asyncio.run(client.close())
