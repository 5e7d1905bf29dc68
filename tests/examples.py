"""How many examples hypothesis makes: a third in `make test`, all in `make test-long`."""

from __future__ import annotations

import os

_ALL = os.environ.get("IOSONDE_EXAMPLES") == "all"


def examples(count: int) -> int:
    """What of a full count is made this time."""
    return count if _ALL else -(-count // 3)
