"""How long to wait after failures."""

from __future__ import annotations

from ._options import Times


def retry_delay(failures: int, times: Times) -> float:
    """Seconds to wait after that many failures in a row: doubled with each, up to the longest pause."""
    # 2.0 ** 1024 overflows; far below it the upper bound holds for any sensible pair of times.
    return min(times.retry_max, times.retry_min * 2.0 ** min(failures - 1, 64))
