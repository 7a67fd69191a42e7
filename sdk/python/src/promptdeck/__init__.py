"""Promptdeck for Python: serves current prompts and reports model calls."""

from ._async_client import AsyncClient
from ._client import Client
from ._errors import (
    Closed,
    Dropped,
    Forbidden,
    Invalid,
    NotFound,
    PromptdeckError,
    Unauthorized,
    Unavailable,
)
from ._models import (
    ConnectEvent,
    DisconnectEvent,
    ErrorEvent,
    Fallback,
    Message,
    MessagePlaceholder,
    PlaceholderValues,
    Prompt,
    ResyncEvent,
    Run,
    Timings,
    ToolCall,
    UpdateEvent,
    Variable,
)
from ._prompts.messages import render_messages
from ._prompts.template import render_template
from ._version import __version__

__all__ = [
    "AsyncClient",
    "Client",
    "Closed",
    "ConnectEvent",
    "DisconnectEvent",
    "Dropped",
    "ErrorEvent",
    "Fallback",
    "Forbidden",
    "Invalid",
    "Message",
    "MessagePlaceholder",
    "NotFound",
    "PlaceholderValues",
    "Prompt",
    "PromptdeckError",
    "ResyncEvent",
    "Run",
    "Timings",
    "ToolCall",
    "Unauthorized",
    "Unavailable",
    "UpdateEvent",
    "Variable",
    "__version__",
    "render_messages",
    "render_template",
]
