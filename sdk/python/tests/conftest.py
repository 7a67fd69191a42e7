"""A minimal service for tests: serves prompts, and stores or rejects runs."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


class Service:
    def __init__(self) -> None:
        self.prompts: dict[str, dict[str, Any]] = {}
        self.runs: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.may_reply = threading.Event()
        """While it is clear, requests wait."""
        self.may_reply.set()
        self.has_request = threading.Event()
        self.rejects_runs = False
        self.token = f"secret-{uuid.uuid4()}"
        """Unique per service: clients of other tests may still use a service that had this port before."""
        self.address = ""

    def put(self, key: str, version: str, content: str) -> None:
        self.prompts[key] = {
            "key": key,
            "version": version,
            "env": "prod",
            "model": "m",
            "content": content,
            "variables": [],
            "etag": f'"{key}-{version}"',
        }

    def options(self, tmp_path: Path) -> dict[str, Any]:
        return {
            "server": self.address,
            "token": self.token,
            "app_name": "tests",
            "cache_dir": tmp_path / "cache",
            "timings": {"request_ms": 2000, "report_ms": 10, "retry_min_ms": 10},
            "env": {},
        }


def handler_of(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if self.headers.get("Authorization") != f"Bearer {service.token}":
                self.answer(401, {"detail": "The token is unknown."})
                return
            service.requests.append(path)
            service.has_request.set()
            service.may_reply.wait(5)
            prompt = service.prompts.get(path.removeprefix("/api/sdk/prompts/"))
            if prompt is None:
                self.answer(404, {"code": "not_found", "detail": "Prompt not found.", "request_id": "r-1"})
            elif self.headers.get("If-None-Match") == prompt["etag"]:
                self.answer(304, None)
            else:
                self.answer(200, prompt)

        def do_POST(self) -> None:
            runs = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if service.rejects_runs:
                self.answer(422, {"detail": "No."})
                return
            service.runs.extend(runs)
            self.answer(201, {"data": []})

        def answer(self, status: int, body: object) -> None:
            content = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by its base
            """Do not log: the tests check requests themselves."""

    return Handler


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(service))
    service.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.may_reply.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def options(service: Service, tmp_path: Path) -> dict[str, Any]:
    return service.options(tmp_path)
