"""What the tools of several RAID controllers say in different words."""

from __future__ import annotations

from iosonde import units
from iosonde.errors import UsageError
from iosonde.layers._raid.geometry import MIRRORED, SPANNED, data_members

_BATTERIES = (
    ("missing", ("missing", "msng", "absent", "not present", "abs", "notpresent")),
    ("learning", ("learn",)),
    ("charging", ("charg", "chrg")),
    ("ok", ("optimal", "operational", "opt", "ok")),
    ("failed", ("fail", "fld", "degraded", "dgd", "replace", "bad", "dead", "unkn", "need")),
)


def battery_state(text: str) -> str | None:
    """State of a battery by a controller's words: ok, charging, learning, missing, failed."""
    words = text.strip().lower()
    if not words or words in {"n/a", "-", "unknown"}:
        return None
    for state, starts in _BATTERIES:
        if any(start in words if len(start) > 3 else words == start for start in starts):
            return state
    return None


def data_disks(level: str | None, disks: int | None, spans: int | None) -> int | None:
    """Members whose space holds data.

    Args:
        level: "raid6"; None where unknown.
        disks: members in all spans.
        spans: of raid50 and raid60; None where unknown.
    """
    if level is None or not disks or (level in SPANNED and not spans):
        return None
    if level in MIRRORED:
        return disks // 2 or None
    return data_members("raid0" if level == "raid00" else level, disks, spans=spans or 1)


def size_of(text: str | None) -> int | None:
    """Bytes of "14.551 TB" or "512MB", where makers of controllers mean 1024; None if none."""
    try:
        return None if text is None else units.parse_bytes(text.replace(" ", ""))
    except UsageError:
        return None
