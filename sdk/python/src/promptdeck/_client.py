"""The client for programs without an event loop."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from ._loop.dispatch import ThreadDispatcher
from ._models import Message, PlaceholderValues, Prompt
from ._prompts.messages import messages_of, render_messages
from ._prompts.template import render_template
from ._surface import Surface

T = TypeVar("T")
_Self = TypeVar("_Self", bound="Client")


class Client(Surface):
    """Serves prompts, follows their changes, reports runs. Thread-safe; one per process is enough.

    Every call takes at most `request_ms`, and raises `Closed` after `close()`.
    """

    _new_dispatcher: ClassVar[type[ThreadDispatcher]] = ThreadDispatcher

    def get_prompt(self, key: str) -> Prompt:
        """Return the prompt served under the key: from memory, else the service, else disk, else the fallbacks.

        Raises `NotFound`; `Unavailable`, `Unauthorized` or `Forbidden` only if there is no copy either.
        """
        self._require_open()
        return self._core.current(key) or self._run(self._core.get(key))

    def render(self, key: str, variables: Mapping[str, Any] | None = None) -> str:
        """Render the text of the prompt that `get_prompt` returns. Raises the same errors.

        For a chat, use `render_messages`.
        """
        prompt = self.get_prompt(key)
        return render_template(prompt.content, variables, prompt.variables)

    def render_messages(
        self,
        key: str,
        variables: Mapping[str, Any] | None = None,
        placeholders: PlaceholderValues | None = None,
    ) -> list[Message]:
        """Render the messages of the prompt that `get_prompt` returns; a text becomes one user message.

        `placeholders` are the lists of messages to insert, such as the history of a conversation. Raises the same
        errors, and `Invalid` for a placeholder that is no list of messages.
        """
        prompt = self.get_prompt(key)
        return render_messages(messages_of(prompt), variables, prompt.variables, placeholders)

    def prefetch(self, keys: Sequence[str] | None = None) -> None:
        """Fetch these keys, or all served prompts, into memory and onto disk.

        Raises only if nothing at all is available, not even copies.
        """
        self._require_open()
        self._run(self._core.prefetch(keys))

    def watch(self, keys: Sequence[str] | None = None) -> None:
        """Open the live connection, and follow these keys besides those in use.

        Returns once it is connected, or after `request_ms`; the client then keeps trying.
        """
        self._require_open()
        self._run(self._core.watch(keys))

    def flush(self) -> None:
        """Send the queued runs. After `request_ms` the rest is sent in the background."""
        self._require_open()
        self._run(self._core.flush())

    def close(self) -> int:
        """Send the queued runs, for at most `request_ms`, and close. Returns how many runs could not be sent.

        A second call returns the same number.
        """
        unsent = self._close().result()
        self._stop()
        return unsent

    def __enter__(self: _Self) -> _Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = self._runtime.submit(self._core.operate(work), work)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C while waiting: the result is no longer needed.
            future.cancel()
            raise
