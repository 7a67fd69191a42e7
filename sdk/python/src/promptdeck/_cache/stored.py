"""A prompt in memory and on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .._models import Fallback, Prompt, Source, Variable


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
    return Stored(name, version, env, model, content, tuple(variables), stored_etag)  # type: ignore[arg-type]


def fallback_stored(key: str, fallback: str | Fallback, namespace: str) -> Stored:
    """Convert a bundled prompt to the stored form."""
    fields: Fallback = {"content": fallback} if isinstance(fallback, str) else fallback
    return Stored(
        key=key,
        version=fields.get("version"),
        env=namespace,
        model=fields.get("model"),
        content=fields["content"],
        variables=tuple(fields.get("variables") or ()),
        etag=fields.get("etag") or "",
    )
