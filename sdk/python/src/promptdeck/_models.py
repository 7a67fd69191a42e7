"""Types of the public interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from ._errors import PromptdeckError

Source = Literal["network", "memory", "disk", "fallback"]
"""Origin of a prompt."""


class Variable(TypedDict, total=False):
    """A variable of a prompt."""

    name: str
    required: bool
    default: str | float | bool | None
    description: str
    type: Literal["string", "number", "boolean", "json"]
    example: str | float | bool
    """A sample value, for people and tests."""
    declared: bool
    used: bool


class ToolCall(TypedDict):
    """A call of a tool that a model requested."""

    id: str
    name: str
    arguments: Any


class _RequiredOfMessage(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str


class Message(_RequiredOfMessage, total=False):
    """A message of a conversation, with the service's field names."""

    tool_calls: list[ToolCall]
    """Of an assistant's message."""
    tool_call_id: str
    """Of a tool's message: the call that it is the result of."""
    name: str
    """Of a tool's message: the tool."""


class MessagePlaceholder(TypedDict):
    """The place in a chat prompt at which a list of messages is inserted."""

    placeholder: str


PlaceholderValues = Mapping[str, "Sequence[Message] | None"]
"""Lists of messages by the name of their placeholder."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A published version of a prompt. `source` is the origin of this copy."""

    key: str
    version: str | None
    """Such as `"v3"`; None for a fallback without one."""
    env: str
    model: str | None
    content: str
    variables: tuple[Variable, ...]
    etag: str
    source: Source
    type: Literal["text", "chat"] = "text"
    messages: tuple[Message | MessagePlaceholder, ...] | None = None
    """The messages of a chat; None for a text. `content` is then the messages as one text."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Model parameters such as `temperature`, `max_output_tokens`, `tools` and `response_format`."""


class Fallback(TypedDict, total=False):
    """A prompt bundled with the app. Only `content` or `messages` is required; a plain text is also accepted."""

    content: str
    messages: list[Message | MessagePlaceholder]
    params: Mapping[str, Any]
    version: str | None
    model: str | None
    variables: list[Variable]
    etag: str


Fallbacks = Mapping[str, "str | Fallback"]


class _RequiredOfRun(TypedDict):
    provider: str
    model: str
    latency_ms: float
    status: Literal["ok", "error"]


class Run(_RequiredOfRun, total=False):
    """One call of a model, as in `POST /api/runs`. All fields except the first four may be omitted or None."""

    source: str | None
    ref_key: str | None
    version: str | None
    env: str | None
    """`dev`, `test` or `prod`; by default the namespace of the client."""
    workspace_id: str | None
    app: str | None
    """By default the app name of the client."""
    session_id: str | None
    """The conversation that the call is part of."""
    end_user: str | None
    """The user of the app."""
    hash_end_user: bool | None
    """The service stores a keyed hash instead of `end_user`."""
    tags: list[str] | None
    metadata: dict[str, Any] | None
    prompt_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    tokens_estimated: bool | None
    ttft_ms: float | None
    cost_usd: float | None
    error: str | None
    error_type: str | None
    parent_id: str | None
    client_run_id: str | None
    finish_reason: str | None
    response_id: str | None
    """Of the reply, from the provider."""
    provider_request_id: str | None
    """Of the request, from a header of the provider's reply."""
    response_model: str | None
    """The model that replied, from the provider."""
    tool_names: list[str] | None
    """Names of the tools that the model called."""
    trace_id: str | None
    """W3C Trace Context: 32 hexadecimal digits."""
    span_id: str | None
    """The span of the call: 16 hexadecimal digits; with `trace_id` the service counts a repeated span once."""
    parent_span_id: str | None
    """The span that made the call."""
    variables: list[str] | None
    """Names only, never values."""
    params: dict[str, Any] | None
    input: Any
    output: str | None
    created_at: str | None
    """Start of the call, ISO 8601 with an offset; by default the time of the report minus `latency_ms`."""


class Timings(TypedDict, total=False):
    """Times in milliseconds; omitted ones keep their defaults."""

    request_ms: float
    """Time limit of any request and any call of the client: 5,000."""
    stale_ms: float
    """Age at which memory is refreshed while there is no live connection: 30,000."""
    negative_ms: float
    """Time for which "not found" is remembered: 30,000."""
    retry_min_ms: float
    """The first wait after a failure, doubled with each further one: 1,000."""
    retry_max_ms: float
    """The longest such wait: 60,000."""
    kicked_ms: float
    """The wait after an admin closed the connection: 60,000."""
    poll_ms: float
    """Interval of polling while there is no live connection: 30,000."""
    report_ms: float
    """Time for which runs are collected before they are sent: 1,000."""


@dataclass(frozen=True, slots=True)
class ConnectEvent:
    """The live connection is open."""

    client_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class DisconnectEvent:
    """The live connection ended. `code` is the WebSocket close code, 1006 if the connection was lost."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class UpdateEvent:
    """A served prompt changed; `version` and `prompt` are None if it was deleted."""

    key: str
    version: str | None
    previous_version: str | None
    prompt: Prompt | None


@dataclass(frozen=True, slots=True)
class ResyncEvent:
    """The client missed too many changes: all prompts in memory are fetched again."""

    seq: int


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """An error in the background, which no call could raise."""

    error: PromptdeckError


EventName = Literal["connect", "disconnect", "update", "resync", "error"]
Event = ConnectEvent | DisconnectEvent | UpdateEvent | ResyncEvent | ErrorEvent
