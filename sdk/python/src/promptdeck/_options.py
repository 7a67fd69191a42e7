"""The validated options of a client."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from ._errors import Invalid
from ._http.target import Target
from ._models import Fallbacks, Timings
from ._prompts.messages import read_messages

_MAX_LENGTHS = {"app_name": 128, "namespace": 64, "workspace": 64}
"""The maximum length that the service accepts, in characters."""


@dataclass(frozen=True)
class Times:
    """The timings in seconds."""

    request: float = 5
    stale: float = 30
    negative: float = 30
    retry_min: float = 1
    retry_max: float = 60
    kicked: float = 60
    poll: float = 30
    report: float = 1


@dataclass(frozen=True)
class Options:
    """Options of a client, without the token, which can be replaced."""

    server: str
    """Without a trailing slash."""
    app_name: str
    namespace: str
    workspace: str
    cache_dir: Path | None
    """None: this user has no cache folder."""
    fallbacks: Fallbacks
    times: Times
    ca: str | None = None
    """The only trusted CA certificates as PEM text; None: those of the system."""
    instance_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def is_secure(self) -> bool:
        """True if the connection to the service uses TLS."""
        return self.server.startswith("https:")


def resolve_options(
    *,
    target: Target,
    app_name: str | None,
    namespace: str | None,
    workspace: str,
    cache_dir: str | os.PathLike[str] | None,
    fallbacks: Fallbacks | None,
    timings: Timings | Mapping[str, float] | None,
    env: Mapping[str, str],
) -> Options:
    """Resolve options from arguments, else the environment, else defaults. Raises `Invalid` for an invalid one."""
    if app_name is None:
        app_name = env.get("PROMPTDECK_APP") or None
    if app_name is None:
        raise Invalid("The app name is missing. Set app_name or PROMPTDECK_APP.")
    if namespace is None:
        namespace = env.get("PROMPTDECK_NAMESPACE") or "prod"
    if cache_dir == "":
        raise Invalid("cache_dir is empty. Set it to a folder, or omit it.")
    return Options(
        server=target.server,
        ca=target.ca,
        app_name=_label("app_name", app_name),
        namespace=_label("namespace", namespace),
        workspace=_label("workspace", workspace),
        cache_dir=Path(cache_dir) if cache_dir is not None else _user_cache(env),
        fallbacks=_checked_fallbacks(fallbacks),
        times=_times(timings),
    )


def _label(name: str, value: object) -> str:
    max_length = _MAX_LENGTHS[name]
    if not isinstance(value, str) or not value.strip() or len(value) > max_length:
        raise Invalid(f"{name} must be a string of 1 to {max_length} characters.")
    return value


def _checked_fallbacks(fallbacks: Fallbacks | None) -> Fallbacks:
    for key, fallback in (fallbacks or {}).items():
        content = fallback.get("content") if isinstance(fallback, Mapping) else fallback
        messages = fallback.get("messages") if isinstance(fallback, Mapping) else None
        if messages is not None:
            try:
                read_messages(messages)
            except ValueError:
                raise Invalid(f'fallbacks["{key}"] has invalid messages.') from None
            continue
        if not isinstance(content, str):
            raise Invalid(f'fallbacks["{key}"] must be a string, or a mapping with the text as "content".')
    return dict(fallbacks or {})


def _times(timings: Timings | Mapping[str, float] | None) -> Times:
    known = {f"{item.name}_ms": item.name for item in fields(Times)}
    seconds: dict[str, float] = {}
    for name, value in (timings or {}).items():
        if name not in known:
            raise Invalid(f'Unknown timing "{name}". The timings are {", ".join(known)}.')
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value <= 0:  # type: ignore[arg-type, operator]
            raise Invalid(f'timings["{name}"] must be a number of milliseconds greater than 0.')
        seconds[known[name]] = value / 1000  # type: ignore[operator]
    return Times(**seconds)


def _user_cache(env: Mapping[str, str]) -> Path | None:
    """Return the user's cache folder by the convention of the system."""
    if os.name == "nt":
        local = env.get("LOCALAPPDATA")
        return Path(local) / "promptdeck" / "cache" if local else None
    custom = env.get("XDG_CACHE_HOME")
    if custom and os.path.isabs(custom):
        return Path(custom) / "promptdeck"
    home = env.get("HOME") or os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    is_mac = os.uname().sysname == "Darwin"
    return Path(home) / ("Library/Caches" if is_mac else ".cache") / "promptdeck"
