"""The common part of `Client` and `AsyncClient`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any, ClassVar, Literal, ParamSpec, TypeVar, overload

from ._core import Core, closed
from ._errors import Closed, PromptdeckError
from ._events import Emitter
from ._http.credentials import Credentials
from ._http.target import resolve_target
from ._loop.dispatch import Listener, LoopDispatcher, ThreadDispatcher
from ._loop.exit import ExitHook
from ._loop.runtime import Runtime
from ._models import (
    ConnectEvent,
    DisconnectEvent,
    ErrorEvent,
    EventName,
    Fallbacks,
    ResyncEvent,
    Run,
    Timings,
    UpdateEvent,
)
from ._options import resolve_options
from ._runs.run import encode_run
from ._runs.wrap import Usage, wrapper

P = ParamSpec("P")
R = TypeVar("R")


class Surface:
    """The calls that do not wait. Every method may be called from any thread."""

    _new_dispatcher: ClassVar[Callable[[], ThreadDispatcher | LoopDispatcher]]

    def __init__(
        self,
        *,
        server: str | None = None,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
        app_name: str | None = None,
        namespace: str | None = None,
        workspace: str = "default",
        cache_dir: str | os.PathLike[str] | None = None,
        fallbacks: Fallbacks | None = None,
        timings: Timings | Mapping[str, float] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Create a client without sending anything. Raises `Invalid` for an invalid option.

        Args:
            server: Address of the service; else `PROMPTDECK_URL`, else a server that `promptdeck pair` stored,
                else `http://127.0.0.1:4780`.
            token: An API token; else `PROMPTDECK_TOKEN`.
            ca: CA certificate that issued the service's certificate, as PEM text or as the path of a PEM file; else
                `PROMPTDECK_CA`, else those of the system. No other CA is trusted then.
            app_name: Name of this app in the service's list; else `PROMPTDECK_APP`. Required.
            namespace: The environment whose prompts are served; else `PROMPTDECK_NAMESPACE`, else `prod`.
            workspace: ID or slug.
            cache_dir: Folder of the disk cache; by default in the user's cache folder.
            fallbacks: Prompts to serve without service and copy: key to text, or to a mapping with
                `content` and optionally `version`, `model`, `variables`.
            timings: Times in milliseconds, see `Timings`.
            env: Replaces `os.environ`.
        """
        environment = os.environ if env is None else env
        target = resolve_target(server=server, token=token, ca=ca, env=environment)
        self._options = resolve_options(
            target=target,
            app_name=app_name,
            namespace=namespace,
            workspace=workspace,
            cache_dir=cache_dir,
            fallbacks=fallbacks,
            timings=timings,
            env=environment,
        )
        self._credentials = Credentials(target.token)
        self._emitter = Emitter()
        self._dispatcher = type(self)._new_dispatcher()
        self._closing: Future[int] | None = None
        self._closing_lock = threading.RLock()
        self._runtime = Runtime()
        try:
            self._core = self._runtime.submit(self._make_core()).result()
        except BaseException:
            self._runtime.stop()
            raise
        self._exit_hook = ExitHook(self._send_last)

    def __repr__(self) -> str:
        options = self._options
        return (
            f"{type(self).__name__}(server={options.server!r}, app_name={options.app_name!r}, "
            f"namespace={options.namespace!r}, workspace={options.workspace!r})"
        )

    @overload
    def on(self, name: Literal["connect"], listener: Callable[[ConnectEvent], object]) -> Callable[[], None]: ...
    @overload
    def on(self, name: Literal["disconnect"], listener: Callable[[DisconnectEvent], object]) -> Callable[[], None]: ...
    @overload
    def on(self, name: Literal["update"], listener: Callable[[UpdateEvent], object]) -> Callable[[], None]: ...
    @overload
    def on(self, name: Literal["resync"], listener: Callable[[ResyncEvent], object]) -> Callable[[], None]: ...
    @overload
    def on(self, name: Literal["error"], listener: Callable[[ErrorEvent], object]) -> Callable[[], None]: ...
    def on(self, name: EventName, listener: Listener) -> Callable[[], None]:
        """Add a listener for the events of that name. Returns a function that removes it.

        A listener may call the client. Its exceptions are logged and have no other effect.
        """
        self._require_open()
        return self._emitter.add(name, self._dispatcher.wrap(listener))

    def report_run(self, run: Run | Mapping[str, Any]) -> str:
        """Queue a report of a model call, and return its `client_run_id` immediately.

        Raises `Invalid` for a run without `provider`, `model`, `latency_ms` or `status`; never because of the
        service.
        """
        self._require_open()
        report = encode_run(run, self._options)
        self._runtime.post(self._core.report, report)
        return report.client_run_id

    def wrap(
        self,
        *,
        provider: str,
        model: str,
        ref_key: str | None = None,
        version: str | None = None,
        usage: Usage | None = None,
        **fields: Any,
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Return a decorator that reports each call of a plain or async function, without changing its result.

        Args:
            provider: Provider of the model, such as `openai`.
            model: Name of the model.
            ref_key: Key of the prompt in use.
            version: Version of the prompt in use.
            usage: Gets the function's result, returns fields to add (`prompt_tokens`, `output_tokens`, ...).
            fields: Other fields of a `Run`.
        """
        self._require_open()
        all_fields = {"provider": provider, "model": model, "ref_key": ref_key, "version": version, **fields}
        # Raise errors of these fields here, not at the first call.
        encode_run({**all_fields, "latency_ms": 0, "status": "ok"}, self._options)
        return wrapper(all_fields, usage, self._report_quietly, self._emit_error)

    def set_token(self, token: str) -> None:
        """Replace the token; requests that failed with the old one are tried again."""
        self._require_open()
        self._credentials.replace(token)
        self._runtime.post(self._core.token_replaced)

    async def _make_core(self) -> Core:
        return Core(self._options, self._credentials, self._emitter)

    def _require_open(self) -> None:
        self._runtime.require_own_process()
        if self._closing is not None:
            raise closed()

    def _report_quietly(self, run: Mapping[str, Any]) -> None:
        """Report a run of a wrapped call. An error must not affect the call."""
        try:
            self.report_run(run)
        except Closed:
            return
        except PromptdeckError as error:
            self._emit_error(error)

    def _emit_error(self, error: PromptdeckError) -> None:
        self._emitter.emit(ErrorEvent(error))

    def _close(self) -> Future[int]:
        """Close once, regardless of the number of calls."""
        self._runtime.require_own_process()
        with self._closing_lock:
            if self._closing is None:
                self._closing = self._runtime.submit(self._core.close())
            return self._closing

    def _send_last(self) -> None:
        """Send the queued runs when the interpreter exits without `close()`. A retry does not delay the exit."""
        # Closed: the client is of a process that was forked, or another thread closes it.
        with suppress(Closed, FutureTimeoutError):
            self._runtime.submit(self._core.send_last()).result(self._options.times.request)

    def _stop(self) -> None:
        """Stop the threads of the client."""
        self._exit_hook.remove()
        self._runtime.stop()
        self._dispatcher.close(self._options.times.request)
