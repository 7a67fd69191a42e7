"""The disk cache: the last served prompts, for a start while the service is down."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path

from .._errors import Invalid, PromptdeckError
from .._options import Options
from .stored import Stored, parse_stored

_counter = itertools.count()


class DiskCache:
    """One JSON file per key, private to this user, written atomically by renaming. Methods do not raise."""

    def __init__(self, options: Options, report: Callable[[PromptdeckError], None]) -> None:
        self._namespace = options.namespace
        self._folder = _folder(options)
        self._report_error = report
        self._is_reported = False

    def read(self, key: str) -> Stored | None:
        """Return the copy of a key; None if it is missing or damaged."""
        path = self._path(key)
        return None if path is None else self._parse(path, key)

    def write(self, stored: Stored) -> None:
        """Write a copy."""
        path = self._path(stored.key)
        if path is None:
            self._report_once("this user has no cache folder")
            return
        content = json.dumps(stored.as_json(), separators=(",", ":"))
        text = json.dumps({"sha256": _hash(content), "prompt": content})
        temporary = path.with_name(f"{path.name}.{os.getpid()}-{next(_counter)}.tmp")
        try:
            _make_private(path.parent)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, path)
        except OSError as error:
            self._discard(temporary)
            self._report_once(error.strerror or type(error).__name__)

    def remove(self, key: str) -> None:
        """Delete the copy of a key."""
        path = self._path(key)
        if path is not None:
            self._discard(path)

    def has_any(self) -> bool:
        """Return True if there is a copy of any prompt."""
        if self._folder is None:
            return False
        try:
            return any(self._parse(path, None) is not None for path in self._folder.glob("*.json"))
        except OSError:
            return False

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{_hash(key)[:40]}.json"

    def _parse(self, path: Path, key: str | None) -> Stored | None:
        try:
            file = json.loads(path.read_text(encoding="utf-8"))
            content = file["prompt"]
            is_intact = isinstance(content, str) and file["sha256"] == _hash(content)
            return parse_stored(json.loads(content), namespace=self._namespace, key=key) if is_intact else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _discard(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._report_once(error.strerror or type(error).__name__)

    def _report_once(self, reason: str) -> None:
        """Report a failure once: an unwritable folder fails for every prompt."""
        if self._is_reported:
            return
        self._is_reported = True
        where = "" if self._folder is None else f" in {self._folder}"
        self._report_error(
            Invalid(f"Prompts cannot be cached on disk{where}: {reason}. Set cache_dir to a writable folder.")
        )


def _folder(options: Options) -> Path | None:
    if options.cache_dir is None:
        return None
    scope = "\n".join((options.server, options.workspace, options.namespace))
    return options.cache_dir / "python" / _hash(scope)[:32]


def _make_private(folder: Path) -> None:
    """Create the folder and missing parents, for this user only."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
