"""Executes requests of the conformance suite: JSON lines in, JSON lines out.

`PROMPTDECK_ADAPTER=async` drives `AsyncClient`, anything else `Client`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from promptdeck import (
    AsyncClient,
    Client,
    ErrorEvent,
    PromptdeckError,
    __version__,
    render_messages,
    render_template,
)

Request = Mapping[str, Any]
AnyClient = Client | AsyncClient

IS_ASYNC: Final = os.environ.get("PROMPTDECK_ADAPTER") == "async"
EVENTS: Final = ("connect", "disconnect", "update", "resync", "error")

_write_lock = threading.Lock()


def write(message: Mapping[str, Any]) -> None:
    """Write one line; ASCII, so that lone surrogates cannot fail."""
    with _write_lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


class ThrownError(Exception):
    """An exception that a wrapped call raised."""


class Adapter:
    """The clients by the harness's names. Each sync call runs in a thread."""

    def __init__(self) -> None:
        self.clients: dict[str, AnyClient] = {}
        self.open: set[str] = set()
        self.sockets_at_start = count_sockets()

    async def answer(self, request: Request) -> None:
        """Handle one request and send its result."""
        try:
            reply = {"id": request["id"], "ok": await self.work(request)}
        except PromptdeckError as error:
            reply = {"id": request["id"], "error": {"code": error.code, "message": error.message}}
        except ThrownError as error:
            reply = {"id": request["id"], "error": {"code": "Thrown", "message": str(error)}}
        except Exception as error:  # noqa: BLE001 - reported to the harness
            reply = {"id": request["id"], "error": {"code": "Crash", "message": repr(error)}}
        write(reply)

    async def work(self, request: Request) -> Any:
        """Return the result of a request."""
        op, name = request["op"], request.get("client", "")
        if op == "hello":
            return {"language": "python", "version": __version__, "features": ["disk"]}
        if op == "new":
            self.make(name, request.get("options") or {})
            return None
        if op == "stats":
            return self.stats()
        if op == "render_template":
            return render_template(request["content"], request.get("variables"), request.get("declared") or ())
        if op == "render_chat":
            return render_messages(
                request["messages"],
                request.get("variables"),
                request.get("declared") or (),
                request.get("placeholders"),
            )
        result = await self.call(self.clients[name], op, request)
        if op == "close":
            self.open.discard(name)
        return dataclasses.asdict(result) if dataclasses.is_dataclass(result) else result  # type: ignore[arg-type]

    def make(self, name: str, options: Mapping[str, Any]) -> None:
        """Create a client and forward all its events."""
        client: AnyClient = AsyncClient(**options) if IS_ASYNC else Client(**options)
        self.clients[name] = client
        self.open.add(name)
        on: Callable[[str, Callable[[Any], None]], object] = client.on  # type: ignore[assignment]
        for event in EVENTS:
            on(event, forwarder(name, event))

    async def call(self, client: AnyClient, op: str, request: Request) -> Any:
        """Call a method of the sync or async client."""
        arguments: dict[str, tuple[Any, ...]] = {
            "get_prompt": (request.get("key"),),
            "render": (request.get("key"), request.get("variables")),
            "render_messages": (request.get("key"), request.get("variables"), request.get("placeholders")),
            "prefetch": (request.get("keys"),),
            "watch": (request.get("keys"),),
            "report_run": (request.get("run"),),
            "set_token": (request.get("token"),),
        }
        if op == "wrap":
            return await call_wrapped(client, request)
        method = getattr(client, op)
        if isinstance(client, Client):
            return await in_thread(lambda: method(*arguments.get(op, ())))
        result = method(*arguments.get(op, ()))
        return await result if isinstance(result, Awaitable) else result

    def stats(self) -> dict[str, int]:
        """Count what closed clients left behind. Sockets are counted only when no client is open."""
        threads = [thread for thread in threading.enumerate() if thread.name.startswith("promptdeck-loop")]
        sockets = 0 if self.open else max(0, count_sockets() - self.sockets_at_start)
        return {"timers_or_threads": max(0, len(threads) - len(self.open)), "sockets": sockets}


async def call_wrapped(client: AnyClient, request: Request) -> Any:
    """Wrap a function that behaves as the request says, and call it."""
    seconds = (request.get("takes_ms") or 0) / 1000
    usage = request.get("usage")
    failure = request.get("error")

    def end() -> Any:
        if failure is not None:
            raise type(failure["type"], (Exception,), {})(failure["message"])
        return request.get("result")

    def plain() -> Any:
        time.sleep(seconds)
        return end()

    async def asynchronous() -> Any:
        await asyncio.sleep(seconds)
        return end()

    options = dict(request.get("options") or {})
    decorate = client.wrap(usage=None if usage is None else lambda _result: usage, **options)
    try:
        if isinstance(client, AsyncClient):
            return await decorate(asynchronous)()
        return await in_thread(decorate(plain))
    except PromptdeckError:
        raise
    except Exception as error:
        raise ThrownError(str(error)) from error


def forwarder(name: str, event: str) -> Callable[[Any], None]:
    """Return a listener that forwards events."""

    def forward(data: Any) -> None:
        if isinstance(data, ErrorEvent):
            members = {"code": data.error.code, "message": data.error.message}
        else:
            members = dataclasses.asdict(data)
        write({"event": event, "client": name, "data": members})

    return forward


async def in_thread(work: Callable[[], Any]) -> Any:
    """Run the work in a thread per call: with a pool, waiting calls would block others from starting."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            loop.call_soon_threadsafe(done.set_exception, error)
        else:
            loop.call_soon_threadsafe(done.set_result, result)

    threading.Thread(target=run, daemon=True).start()
    return await done


def count_sockets() -> int:
    """Count the internet sockets of this process, where the system lists them."""
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        return 0
    return sum(is_internet_socket(int(name)) for name in os.listdir(folder))


def is_internet_socket(descriptor: int) -> bool:
    """Return True for IPv4 and IPv6 sockets; event loops use another family for their internal sockets."""
    try:
        if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            return False
        with socket.socket(fileno=os.dup(descriptor)) as copy:
            return copy.family in (socket.AF_INET, socket.AF_INET6)
    except OSError:
        return False


async def main() -> None:
    """Read requests until `exit` or the end of stdin."""
    adapter = Adapter()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    working: set[asyncio.Task[None]] = set()

    def start(request: Request) -> None:
        task = loop.create_task(adapter.answer(request))
        working.add(task)
        task.add_done_callback(working.discard)

    def read() -> None:
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "exit":
                break
            loop.call_soon_threadsafe(start, request)
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    await ended.wait()


asyncio.run(main())
