"""Where the store is that nobody names."""

from __future__ import annotations

import os
from pathlib import Path


def default_place() -> str:
    """IOSONDE_STORE, or store.sqlite in the XDG data directory (XDG Base Directory 0.8)."""
    if place := os.environ.get("IOSONDE_STORE"):
        return place
    home = os.environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    return str(Path(home) / "iosonde" / "store.sqlite")
