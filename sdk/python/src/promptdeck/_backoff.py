"""Backoff after failures."""

from __future__ import annotations

from ._options import Times


def retry_delay(failures: int, times: Times) -> float:
    """Seconds to wait after that many consecutive failures: doubles with each, up to `retry_max`."""
    # 2.0 ** 1024 overflows; `retry_max` applies far earlier for any sensible pair of times.
    return min(times.retry_max, times.retry_min * 2.0 ** min(failures - 1, 64))
