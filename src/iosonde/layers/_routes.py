"""Which interface leads to an address.

Source: ip-route(8).
"""

from __future__ import annotations

from iosonde.exact import from_json


def route_device(answer: bytes) -> str | None:
    """The interface in the answer of `ip -j route get ADDRESS`."""
    try:
        rows = from_json(answer or b"[]")
    except ValueError:
        return None
    if not isinstance(rows, list):
        return None
    return next((str(row["dev"]) for row in rows if isinstance(row, dict) and "dev" in row), None)
