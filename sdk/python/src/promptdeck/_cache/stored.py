"""A prompt in memory and on disk."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, cast

from .._models import Fallback, Prompt, Source, Variable
from .._prompts.messages import RawMessages, read_messages, text_of_messages


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored prompt. The app gets copies, which it may modify."""

    key: str
    version: str | None
    env: str
    model: str | None
    content: str
    variables: tuple[Mapping[str, Any], ...]
    etag: str
    messages: RawMessages | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def as_prompt(self, source: Source) -> Prompt:
        """Return the copy for the app."""
        return Prompt(
            key=self.key,
            version=self.version,
            env=self.env,
            model=self.model,
            content=self.content,
            variables=tuple(cast(Variable, dict(variable)) for variable in self.variables),
            etag=self.etag,
            source=source,
            type="text" if self.messages is None else "chat",
            messages=cast(Any, None if self.messages is None else tuple(deepcopy(self.messages))),
            params=deepcopy(dict(self.params)),
        )

    def as_json(self) -> dict[str, object]:
        """Return the JSON members for the disk."""
        return {
            "key": self.key,
            "version": self.version,
            "env": self.env,
            "model": self.model,
            "content": self.content,
            "variables": [dict(variable) for variable in self.variables],
            "etag": self.etag,
            "messages": None if self.messages is None else [dict(message) for message in self.messages],
            "params": dict(self.params),
        }

    def differs(self, other: Stored) -> bool:
        """Return True if the app would see a difference."""
        return (self.version, self.etag, self.content) != (other.version, other.etag, other.content)


def parse_stored(body: object, *, namespace: str, key: str | None = None, etag: str = "") -> Stored | None:
    """Read the prompt in a reply or a file; returns None if it is invalid or has another key."""
    if not isinstance(body, dict):
        return None
    name, version, content = body.get("key"), body.get("version"), body.get("content")
    env, model = body.get("env", namespace), body.get("model")
    variables = body.get("variables", [])
    stored_etag = body.get("etag", etag)
    # Services and copies from before chat prompts have neither messages nor parameters.
    params = body.get("params")
    try:
        messages = None if body.get("messages") is None else read_messages(body["messages"])
    except ValueError:
        return None
    is_prompt = (
        isinstance(name, str)
        and (key is None or name == key)
        and isinstance(version, str)
        and isinstance(content, str)
        and isinstance(env, str)
        and (model is None or isinstance(model, str))
        and isinstance(variables, list)
        and all(isinstance(variable, dict) for variable in variables)
        and isinstance(stored_etag, str)
    )
    if not is_prompt:
        return None
    return Stored(
        name,  # type: ignore[arg-type]
        version,
        env,
        model,
        content,  # type: ignore[arg-type]
        tuple(variables),
        stored_etag,
        messages,
        params if isinstance(params, dict) else {},
    )


def fallback_stored(key: str, fallback: str | Fallback, namespace: str) -> Stored:
    """Convert a bundled prompt to the stored form."""
    fields: Fallback = {"content": fallback} if isinstance(fallback, str) else fallback
    messages = None if fields.get("messages") is None else read_messages(fields["messages"])
    return Stored(
        key=key,
        version=fields.get("version"),
        env=namespace,
        model=fields.get("model"),
        content=fields["content"] if messages is None or "content" in fields else text_of_messages(messages),
        variables=tuple(fields.get("variables") or ()),
        etag=fields.get("etag") or "",
        messages=messages,
        params=fields.get("params") or {},
    )
