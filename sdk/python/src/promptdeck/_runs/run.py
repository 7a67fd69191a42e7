"""Validates and encodes runs."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from .._errors import Invalid
from .._options import Options
from .._prompts.ecmascript import json_text
from .reports import Report

_MAX_ID_LENGTH: Final = 128
_MAX_LATENCY_MS: Final = 86_400_000
_MAX_ERROR_LENGTH: Final = 8192
_MAX_ERROR_TYPE_LENGTH: Final = 64
_ENVIRONMENTS: Final = frozenset({"dev", "test", "prod"})
"""The environments of the service. A client of any other namespace reports runs without `env`."""


def encode_run(run: Mapping[str, Any], options: Options) -> Report:
    """Return the run as it will be sent. Raises `Invalid` for one that the service would reject."""
    if not isinstance(run, Mapping):
        raise Invalid("A run must be a mapping with provider, model, latency_ms and status.")
    for name in ("provider", "model"):
        if not isinstance(run.get(name), str) or not run[name].strip():
            raise Invalid(f'A run requires "{name}", a string.')
    latency = run.get("latency_ms")
    if not isinstance(latency, (int, float)) or isinstance(latency, bool):
        raise Invalid('A run requires "latency_ms", a number of milliseconds.')
    if json_text(latency) == "null":
        raise Invalid('"latency_ms" of a run must be finite.')
    if run.get("status") not in ("ok", "error"):
        raise Invalid('A run requires "status": "ok" or "error".')
    fields = {name: value for name, value in run.items() if value is not None}
    client_run_id = fields.get("client_run_id", "") or str(uuid.uuid4())
    if not isinstance(client_run_id, str) or len(client_run_id) > _MAX_ID_LENGTH:
        raise Invalid(f'"client_run_id" of a run must be a string of at most {_MAX_ID_LENGTH} characters.')
    fields["client_run_id"] = client_run_id
    fields.setdefault("workspace_id", options.workspace)
    fields.setdefault("app", options.app_name)
    if options.namespace in _ENVIRONMENTS:
        fields.setdefault("env", options.namespace)
    text = _to_json(fields)
    # A lone surrogate becomes \udxxx, its JSON escape.
    encoded = text.encode("utf-8", "backslashreplace")
    return Report(client_run_id, encoded, None if "created_at" in fields else _start_of(latency))


def _to_json(fields: Mapping[str, Any]) -> str:
    try:
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except Exception:  # noqa: BLE001 - objects of the app may raise anything
        # A value without a JSON form, such as a date or NaN, has the same form as in a template.
        return _to_json_as_in_template(fields)


def _to_json_as_in_template(fields: Mapping[str, Any]) -> str:
    try:
        return json_text(fields)
    except Exception as error:
        problem = "it contains itself, or is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise Invalid(f"The run cannot be converted to JSON: {problem}.") from error


def failure_of(error: BaseException) -> dict[str, str]:
    """Return the fields of a run for an exception of its call."""
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the app must get its own exception
        message = ""
    return {"error": (message or name)[:_MAX_ERROR_LENGTH], "error_type": snake_case(name)}


def snake_case(name: str) -> str:
    """Convert `RateLimitError` to `rate_limit_error`, `HTTPError` to `http_error`."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    word = re.sub(r"[^a-z0-9_]", "", split.lower()).lstrip("_0123456789")
    return word[:_MAX_ERROR_TYPE_LENGTH] or "error"


def _start_of(latency_ms: float) -> str:
    """Return the start of a call that has just ended; now, if the service will reject its latency."""
    duration = timedelta(milliseconds=latency_ms if 0 <= latency_ms <= _MAX_LATENCY_MS else 0)
    return (datetime.now(timezone.utc) - duration).isoformat(timespec="milliseconds").replace("+00:00", "Z")
