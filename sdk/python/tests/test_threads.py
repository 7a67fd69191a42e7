from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Service

from promptdeck import Client, Closed, ErrorEvent, Invalid, UpdateEvent

RUN = {"provider": "p", "model": "m", "latency_ms": 1, "status": "ok"}


def client_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("promptdeck")]


def test_concurrent_calls_share_a_request(service: Service, options: dict[str, Any]) -> None:
    service.put("greet", "v1", "Hi")
    service.may_reply.clear()
    with Client(**options) as client, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(client.get_prompt, "greet") for _ in range(8)]
        assert service.has_request.wait(5)
        service.may_reply.set()
        assert {each.result().version for each in calls} == {"v1"}
    assert service.requests == ["/api/sdk/prompts/greet"]


def test_a_listener_may_call_the_client_and_close_it(service: Service, options: dict[str, Any]) -> None:
    service.put("greet", "v1", "Hi")
    options["timings"]["stale_ms"] = 0.001
    client = Client(**options)
    seen: list[str | None] = []
    done = threading.Event()

    def listener(_event: UpdateEvent) -> None:
        seen.append(client.get_prompt("greet").version)
        client.close()
        done.set()

    client.on("update", listener)
    client.get_prompt("greet")
    service.put("greet", "v2", "Hello")
    client.get_prompt("greet")
    assert done.wait(5)
    assert seen == ["v2"]
    with pytest.raises(Closed):
        client.get_prompt("greet")


def test_a_listener_can_be_removed(service: Service, options: dict[str, Any]) -> None:
    service.rejects_runs = True
    stopped: list[ErrorEvent] = []
    received: list[ErrorEvent] = []
    with Client(**options) as client:
        client.on("error", stopped.append)()
        client.on("error", received.append)
        client.report_run(RUN)
    assert (len(stopped), len(received)) == (0, 1)


def test_concurrent_closes_close_once(service: Service, options: dict[str, Any]) -> None:
    client = Client(**options)
    client.on("error", print)
    client.report_run(RUN)
    with ThreadPoolExecutor(4) as pool:
        assert [each.result() for each in [pool.submit(client.close) for _ in range(4)]] == [0] * 4
    assert len(service.runs) == 1
    assert client_threads() == []


def test_closing_ends_calls_of_other_threads(service: Service, options: dict[str, Any]) -> None:
    service.may_reply.clear()
    client = Client(**options)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get_prompt, "greet")
        assert service.has_request.wait(5)
        client.close()
        with pytest.raises(Closed):
            waiting.result(5)


def test_a_rejected_option_leaves_no_thread() -> None:
    with pytest.raises(Invalid, match="token"):
        Client(app_name="tests", token="two words", env={})
    assert client_threads() == []


def test_async_listeners_are_rejected(options: dict[str, Any]) -> None:
    async def listener(_event: UpdateEvent) -> None: ...

    with Client(**options) as client, pytest.raises(Invalid, match="AsyncClient"):
        client.on("update", listener)


def test_the_interpreter_exits_without_close(service: Service) -> None:
    program = f"""
from promptdeck import Client
client = Client(server={service.address!r}, app_name="tests", timings={{"request_ms": 200}}, env={{}})
client.on("update", print)
client.watch(["greet"])
print("end of program")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert (ended.stdout.strip(), ended.stderr) == ("end of program", "")


def test_a_signal_handler_may_call_the_client_during_a_call(service: Service) -> None:
    program = f"""
import signal
from promptdeck import Client, Closed
client = Client(server={service.address!r}, token={service.token!r}, app_name="tests", env={{}})
post = client._runtime._loop.call_soon_threadsafe

def interrupted(*arguments):
    client._runtime._loop.call_soon_threadsafe = post
    signal.raise_signal(signal.SIGINT)
    post(*arguments)

signal.signal(signal.SIGINT, lambda *_: print(client.close()))
client._runtime._loop.call_soon_threadsafe = interrupted
try:
    client.report_run({RUN!r})
except Closed:
    print("closed")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert (ended.stdout.split(), ended.stderr) == (["0", "closed"], "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_process_of_multiprocessing_sends_its_last_runs(service: Service) -> None:
    program = f"""
import multiprocessing
from promptdeck import Client

def work():
    client = Client(server={service.address!r}, token={service.token!r}, app_name="tests", env={{}})
    client.report_run({RUN!r})

process = multiprocessing.get_context("fork").Process(target=work)
process.start()
process.join()
"""
    subprocess.run([sys.executable, "-c", program], timeout=20, check=True)
    assert len(service.runs) == 1


def test_a_name_is_looked_up_where_no_thread_can_start(
    service: Service, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    service.put("greet", "v1", "Hi")

    start = threading.Thread.start

    def start_none_for_lookups(thread: threading.Thread) -> None:
        if thread.name == "promptdeck-lookup":
            raise RuntimeError("can't create new thread at interpreter shutdown")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_none_for_lookups)
    with Client(**{**options, "server": service.address.replace("127.0.0.1", "localhost")}) as client:
        assert client.render("greet") == "Hi"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_calls_after_a_fork_raise_closed(service: Service) -> None:
    service.put("greet", "v1", "Hi")
    program = f"""
import os
from promptdeck import Client, Closed
client = Client(server={service.address!r}, token={service.token!r}, app_name="tests", env={{}})
client.get_prompt("greet")
client._runtime._lock.acquire()  # as a call in another thread does
if os.fork() == 0:
    for call in [lambda: client.get_prompt("greet"), lambda: client.on("update", print), client.flush, client.close]:
        try:
            call()
        except Closed as error:
            print("fork" in str(error), flush=True)
    os._exit(0)
client._runtime._lock.release()
os.wait()
client.close()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert (ended.stdout.split(), ended.stderr) == (["True"] * 4, "")


def test_no_text_contains_the_token(options: dict[str, Any]) -> None:
    with Client(**options) as client:
        assert "secret" not in repr(client)
        assert "secret" not in str(vars(client)["_options"])
