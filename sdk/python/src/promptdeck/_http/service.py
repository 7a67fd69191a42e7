"""The HTTP requests of a client."""

from __future__ import annotations

import asyncio
import json
import platform
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote

import httpx

from .._cache.stored import Stored, parse_stored
from .._errors import Forbidden, Invalid, NotFound, PromptdeckError, Unauthorized, Unavailable
from .._options import Options
from .._version import __version__
from .credentials import Credentials
from .trust import certificate_problem

USER_AGENT: Final = (
    f"promptdeck-python/{__version__} "
    f"({platform.python_implementation()} {platform.python_version()}; {platform.system() or 'unknown'})"
)
"""User-Agent; the service shows the part in brackets as the platform."""

_MAX_DETAIL_LENGTH: Final = 500
_MAX_WAIT_S: Final = 86_400.0
# A proxy may close idle connections after a few seconds. Closing them earlier avoids a failure during a request.
_IDLE_S: Final = 2.0

_ADVICE: Final = {
    400: "The service could not read the request",
    401: "The service rejected the token. Set PROMPTDECK_TOKEN, or call set_token with another one",
    403: "The token does not allow this request. Use a token for this workspace and namespace",
    404: "Not found",
    413: "The request is too large",
    422: "The service rejected the request",
    429: "Too many requests",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of served prompts."""

    prompts: list[Stored]
    next_cursor: str | None


class Service:
    """The requests of a client. Each takes at most `request_ms`, and raises a `PromptdeckError` if it fails."""

    def __init__(self, options: Options, credentials: Credentials, tls: ssl.SSLContext | None) -> None:
        self._options = options
        self._credentials = credentials
        self._scope = {"env": options.namespace, "workspace": options.workspace}
        self._http = httpx.AsyncClient(
            # Without TLS no certificates are needed, and loading them is slow.
            verify=tls if tls is not None else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            # Proxies and logins of the environment could send the token elsewhere, or send another one.
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # noqa: S113 - the timeout below covers the whole request
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=8, keepalive_expiry=_IDLE_S),
            headers={
                "User-Agent": USER_AGENT,
                "Accept": "application/json",
                # Associates reported runs with the live connection.
                "Promptdeck-Instance": options.instance_id,
            },
        )

    async def prompt(self, key: str, cached: Stored | None) -> Stored:
        """Fetch the prompt served under the key; returns `cached` if that has not changed."""
        headers = {"If-None-Match": cached.etag} if cached is not None and cached.etag else {}
        path = f"/api/sdk/prompts/{quote(key, safe='')}"
        reply = await self._request("GET", path, params=self._scope, headers=headers)
        if reply.status_code == httpx.codes.NOT_MODIFIED and headers and cached is not None:
            return cached
        body = self._parse(reply)
        prompt = parse_stored(body, namespace=self._options.namespace, key=key, etag=reply.headers.get("etag", ""))
        if prompt is None:
            raise Unavailable(f'The reply for "{key}" is not a prompt. Check that server is the address of Promptdeck.')
        return prompt

    async def prompts(self, cursor: str | None) -> Page:
        """Fetch a page of all served prompts."""
        params = self._scope if cursor is None else {**self._scope, "cursor": cursor}
        body = self._parse(await self._request("GET", "/api/sdk/prompts", params=params))
        items = body.get("data") if isinstance(body, dict) else None
        next_cursor = body.get("next_cursor") if isinstance(body, dict) else None
        if not isinstance(items, list) or not (next_cursor is None or isinstance(next_cursor, str)):
            raise Unavailable("The reply is not a list of prompts. Check that server is the address of Promptdeck.")
        parsed = [parse_stored(item, namespace=self._options.namespace) for item in items]
        return Page([stored for stored in parsed if stored is not None], next_cursor)

    async def report(self, body: bytes) -> None:
        """Report runs, given as a JSON array."""
        reply = await self._request("POST", "/api/runs", content=body, headers={"Content-Type": "application/json"})
        stored = self._parse(reply)
        # Another program may reply 200 to any request.
        if not isinstance(stored, dict) or "data" not in stored:
            raise Unavailable("The reply is not that of a report. Check that server is the address of Promptdeck.")

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        all_headers = dict(headers or {})
        if self._credentials.token is not None:
            all_headers["Authorization"] = f"Bearer {self._credentials.token}"
        seconds = self._options.times.request
        try:
            return await asyncio.wait_for(
                self._http.request(
                    method,
                    self._options.server + path,
                    params=params,
                    headers=all_headers,
                    content=content,
                ),
                seconds,
            )
        except asyncio.TimeoutError:
            raise Unavailable(
                f"The service at {self._options.server} did not reply within {seconds * 1000:g} ms."
            ) from None
        except (httpx.HTTPError, OSError) as error:
            raise Unavailable(
                certificate_problem(error, self._options.server)
                or f"The service at {self._options.server} cannot be reached ({type(error).__name__}: {error}). "
                "Check that it is running and that the address is correct."
            ) from error

    def _parse(self, reply: httpx.Response) -> object:
        if not reply.is_success:
            raise _error_of(reply, self._credentials)
        try:
            body: object = json.loads(reply.content)
        except (ValueError, RecursionError):
            raise Unavailable("The reply is not JSON. Check that server is the address of Promptdeck.") from None
        return body


def _error_of(reply: httpx.Response, credentials: Credentials) -> PromptdeckError:
    problem = _problem(reply)
    detail, request_id = problem.get("detail"), problem.get("request_id")
    status = reply.status_code
    parts = [f"{_ADVICE.get(status, 'The request failed')} ({status})"]
    if isinstance(detail, str) and detail:
        parts.append(detail[:_MAX_DETAIL_LENGTH].rstrip("."))
    if isinstance(request_id, str) and request_id:
        parts.append(f"Request id: {request_id[:128]}")
    message = credentials.redact(". ".join(parts) + ".")
    # Another program than the service may reply 404 as well.
    is_foreign = status == 404 and problem.get("code") != "not_found"
    if is_foreign:
        message += " Check that server is the address of Promptdeck."
    error_class = Unavailable if is_foreign else _error_class(status)
    error = error_class(message, status=status, request_id=request_id if isinstance(request_id, str) else None)
    error.retry_after_s = _retry_after(reply.headers.get("retry-after"))
    error.is_about_time = _is_about_time(problem.get("errors"))
    return error


def _is_about_time(errors: object) -> bool:
    paths = [error.get("path") for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    return any(isinstance(path, str) and path.endswith("created_at") for path in paths)


def _error_class(status: int) -> type[PromptdeckError]:
    classes: Mapping[int, type[PromptdeckError]] = {
        400: Invalid,
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        413: Invalid,
        422: Invalid,
    }
    return classes.get(status, Unavailable)


def _problem(reply: httpx.Response) -> dict[str, object]:
    try:
        body: object = json.loads(reply.content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _retry_after(header: str | None) -> float | None:
    """Parse Retry-After (seconds or a date) into seconds, at most a day."""
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdigit():
        return min(float(header), _MAX_WAIT_S)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return min(max(0.0, (date - datetime.now(timezone.utc)).total_seconds()), _MAX_WAIT_S)
