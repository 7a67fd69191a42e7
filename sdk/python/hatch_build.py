"""Copies the licence of the repository into this folder, so that every distribution contains it."""

from pathlib import Path
from shutil import copyfile
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LicenseHook(MetadataHookInterface):
    """Runs before hatchling looks for the licence file."""

    def update(self, metadata: dict[str, Any]) -> None:  # noqa: ARG002
        """Copies the file, except in a source distribution, which contains it already."""
        root = Path(self.root)
        if not (root / "PKG-INFO").exists():
            copyfile(root / "../../LICENSE", root / "LICENSE")
