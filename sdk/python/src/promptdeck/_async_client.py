"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from ._loop.dispatch import LoopDispatcher
from ._models import Message, PlaceholderValues, Prompt
from ._prompts.messages import messages_of, render_messages
from ._prompts.template import render_template
from ._surface import Surface

T = TypeVar("T")
_Self = TypeVar("_Self", bound="AsyncClient")


class AsyncClient(Surface):
    """`Client` with awaitable calls. Its work runs in a separate thread, so a busy event loop breaks no connection.

    Listeners run in the event loop in which they were added, and may be async. Every call takes at most
    `request_ms`, and raises `Closed` after `close()`.
    """

    _new_dispatcher: ClassVar[type[LoopDispatcher]] = LoopDispatcher

    async def get_prompt(self, key: str) -> Prompt:
        """See `Client.get_prompt`."""
        self._require_open()
        current = self._core.current(key)
        return await self._run(self._core.get(key)) if current is None else current

    async def render(self, key: str, variables: Mapping[str, Any] | None = None) -> str:
        """See `Client.render`."""
        prompt = await self.get_prompt(key)
        return render_template(prompt.content, variables, prompt.variables)

    async def render_messages(
        self,
        key: str,
        variables: Mapping[str, Any] | None = None,
        placeholders: PlaceholderValues | None = None,
    ) -> list[Message]:
        """See `Client.render_messages`."""
        prompt = await self.get_prompt(key)
        return render_messages(messages_of(prompt), variables, prompt.variables, placeholders)

    async def prefetch(self, keys: Sequence[str] | None = None) -> None:
        """See `Client.prefetch`."""
        self._require_open()
        await self._run(self._core.prefetch(keys))

    async def watch(self, keys: Sequence[str] | None = None) -> None:
        """See `Client.watch`."""
        self._require_open()
        await self._run(self._core.watch(keys))

    async def flush(self) -> None:
        """See `Client.flush`."""
        self._require_open()
        await self._run(self._core.flush())

    async def close(self) -> int:
        """See `Client.close`."""
        # Shielded: cancelling the caller must not leave the client half closed.
        unsent = await asyncio.shield(asyncio.wrap_future(self._close()))
        await asyncio.get_running_loop().run_in_executor(None, self._stop)
        return unsent

    async def __aenter__(self: _Self) -> _Self:
        self._require_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(self._runtime.submit(self._core.operate(work), work))
