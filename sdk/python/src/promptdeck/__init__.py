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
    Prompt,
    ResyncEvent,
    Run,
    Timings,
    UpdateEvent,
    Variable,
)
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
    "NotFound",
    "Prompt",
    "PromptdeckError",
    "ResyncEvent",
    "Run",
    "Timings",
    "Unauthorized",
    "Unavailable",
    "UpdateEvent",
    "Variable",
    "__version__",
    "render_template",
]
