"""Frames of the live connection."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

# Limits of one frame: 1,000 keys of 200 code units, 64 KiB in total.
_MAX_KEYS: Final = 1000
_MAX_KEY_LENGTH: Final = 200
_MAX_BYTES: Final = 60_000


@dataclass(frozen=True, slots=True)
class Hello:
    """The service accepted the connection."""

    client_id: str
    seq: int
    heartbeat_s: float


@dataclass(frozen=True, slots=True)
class Changed:
    """A prompt changed."""

    key: str
    seq: int
    version: str | None
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class Resync:
    """Too many changes were missed to replay them."""

    seq: int


@dataclass(frozen=True, slots=True)
class Pong:
    """The reply to a ping."""


Frame = Hello | Changed | Resync | Pong

_DEFAULT_HEARTBEAT_S: Final = 25.0


def parse_frame(data: str | bytes) -> Frame | str:
    """Parse a frame; returns the reason as text for an unknown one."""
    if isinstance(data, bytes):
        return "The service sent a binary frame."
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError):
        return "The service sent a frame that is not JSON."
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        return "The service sent a frame that is not a JSON object with a type."
    parsed = _parse_known(frame["type"], frame)
    return f'The service sent a frame of an unknown type: "{frame["type"][:64]}".' if parsed is None else parsed


def _parse_known(kind: str, frame: dict[str, Any]) -> Frame | None:
    if kind == "pong":
        return Pong()
    seq = frame.get("seq")
    if not isinstance(seq, int) or isinstance(seq, bool):
        return None
    if kind == "hello":
        return _hello(frame, seq)
    if kind == "resync":
        return Resync(seq)
    key = frame.get("key")
    if kind.startswith("prompt.") and isinstance(key, str) and key:
        version = frame.get("version")
        announced = version if isinstance(version, str) else None
        return Changed(key, seq, announced, is_deleted=kind == "prompt.deleted")
    return None


def _hello(frame: dict[str, Any], seq: int) -> Hello:
    heartbeat = frame.get("heartbeat_s")
    is_time = isinstance(heartbeat, (int, float)) and not isinstance(heartbeat, bool) and heartbeat > 0
    client_id = frame.get("client_id")
    return Hello(
        client_id=client_id if isinstance(client_id, str) else "",
        seq=seq,
        heartbeat_s=float(heartbeat) if is_time else _DEFAULT_HEARTBEAT_S,  # type: ignore[arg-type]
    )


def reported_keys(keys: Iterable[str]) -> list[str]:
    """Return as many of the keys as one frame may contain. Further keys are followed, but not reported."""
    reported: list[str] = []
    size = 0
    for key in keys:
        if len(key.encode("utf-16-le")) > 2 * _MAX_KEY_LENGTH:
            continue
        size += len(json.dumps(key)) + 1
        if len(reported) == _MAX_KEYS or size > _MAX_BYTES:
            break
        reported.append(key)
    return reported
