"""Reads and renders the messages of chat prompts by the service's rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from .._errors import Invalid
from .._models import Message, MessagePlaceholder, PlaceholderValues, Prompt
from .template import render_template

RawMessages = tuple[Mapping[str, Any], ...]


def read_messages(value: object) -> RawMessages:
    """Return the messages of a prompt with their known members. Raises `ValueError` if they are invalid."""
    if not isinstance(value, (list, tuple)):
        raise ValueError("messages is not a list")
    return tuple(_read_message(message) for message in value)


def _read_message(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("a message is not an object")
    placeholder, role, content = value.get("placeholder"), value.get("role"), value.get("content")
    if isinstance(placeholder, str):
        return {"placeholder": placeholder}
    if not isinstance(role, str) or not isinstance(content, str):
        raise ValueError("a message has no role or content")
    message: dict[str, Any] = {"role": role, "content": content}
    for name, kind in (("tool_calls", list), ("tool_call_id", str), ("name", str)):
        if isinstance(value.get(name), kind):
            message[name] = value[name]
    return message


def text_of_messages(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return the messages as one text, as the service does: `role: content`, a blank line between."""
    return "\n\n".join(
        f"placeholder: {{{{{message['placeholder']}}}}}"
        if "placeholder" in message
        else f"{message['role']}: {message['content']}"
        for message in messages
    )


def messages_of(prompt: Prompt) -> Sequence[Message | MessagePlaceholder]:
    """Return the messages of a prompt; a text is one user message."""
    return [{"role": "user", "content": prompt.content}] if prompt.messages is None else prompt.messages


def render_messages(
    messages: Iterable[Message | MessagePlaceholder],
    variables: Mapping[str, Any] | None = None,
    declared: Iterable[Mapping[str, Any]] = (),
    placeholders: PlaceholderValues | None = None,
) -> list[Message]:
    """Render the messages of a chat prompt: the variables in each `content`, as in `render_template`.

    A placeholder becomes its list of messages, unchanged; without a list it is removed. Raises `Invalid`
    for a placeholder that is no list of messages.
    """
    declarations = tuple(declared)
    rendered: list[Message] = []
    for message in messages:
        if "placeholder" in message:
            rendered.extend(_inserted(cast(MessagePlaceholder, message)["placeholder"], placeholders or {}))
            continue
        content = render_template(message["content"], variables, declarations)
        rendered.append(cast(Message, {**message, "content": content}))
    return rendered


def _inserted(name: str, placeholders: PlaceholderValues) -> Sequence[Message]:
    messages: object = placeholders.get(name)
    if messages is None:
        return ()
    is_list = isinstance(messages, (list, tuple))
    if not is_list or not all(isinstance(message, Mapping) and "role" in message for message in cast(Any, messages)):
        raise Invalid(f"The placeholder {name} must be a list of messages with a role.")
    return cast(Sequence[Message], messages)
