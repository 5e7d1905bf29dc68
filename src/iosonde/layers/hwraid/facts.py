"""What the tools of several RAID controllers say in different words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TypeAlias

from iosonde import units
from iosonde.errors import UsageError
from iosonde.kerneltext import fields
from iosonde.layers._names import kind_by_type
from iosonde.layers._raid.geometry import MIRRORED, SPANNED, data_members
from iosonde.records.stack import Scalar
from iosonde.text.labels import as_labelled

DRIVE = kind_by_type("disk")
"""Of what the drives behind a controller are records."""
_BATTERIES = (
    ("missing", ("missing", "msng", "absent", "not present", "abs", "notpresent")),
    ("learning", ("learn",)),
    ("charging", ("charg", "chrg", "not ready")),
    ("failed", ("non operational", "non-operational", "not operational")),
    ("ok", ("optimal", "operational", "opt", "ok", "ready")),
    ("failed", ("fail", "fld", "degraded", "dgd", "replace", "bad", "dead", "unkn", "need")),
    ("failed", ("weak", "fault", "error")),
)
_VOLUME_STATES = {  # without blanks, which a wrap may have eaten
    **dict.fromkeys(("ok", "okay", "normal", "functional"), "optimal"),
    **dict.fromkeys(("failed", "fail"), "offline"),
    **dict.fromkeys(
        ("degrade", "partiallyoptimal", "rebuild-paused", "interimrecoverymode",
         "usinginterimrecoverymode", "readyforrecoveryoperation"), "degraded",
    ),
    **dict.fromkeys(("rebuilding", "recovering", "currentlyrecovering"), "rebuild"),
    "incompleted": "incomplete",
}  # fmt: skip

Policies: TypeAlias = Mapping[str, tuple[str, Mapping[str, str]]]
"""Name of a setting → what a tool calls it, and its words for the values."""
MEGARAID_POLICIES: Policies = {
    "write_policy": (
        "wrcache", {"write_through": "wt", "write_back": "wb", "write_back_always": "awb"}
    ),
    "read_ahead": ("rdcache", {"on": "ra", "off": "nora"}),
    "io_policy": ("iopolicy", {"direct": "direct", "cached": "cached"}),
    "disk_cache": ("pdcache", {"default": "default", "enabled": "on", "disabled": "off"}),
}  # fmt: skip
SMART_ARRAY_POLICIES: Policies = {
    "write_policy": (
        "arrayaccelerator", {"write_through": "disable", "write_back": "enable"}
    ),
    "disk_cache": (
        "drivewritecache", {"default": "default", "enabled": "enable", "disabled": "disable"}
    ),
    "cache_ratio": ("cacheratio", {}),
}  # fmt: skip

_FIELDS = frozenset(
    {
        "battery",
        "cache_size",
        "data_disks",
        "disk_cache",
        "disks",
        "firmware",
        "identifier",
        "io_policy",
        "logical_block_size",
        "media",
        "media_errors",
        "model",
        "number",
        "other_errors",
        "physical_block_size",
        "predicted_failures",
        "raid_level",
        "read_ahead",
        "rotational",
        "rpm",
        "serial",
        "size",
        "slot",
        "smart_alert",
        "spans",
        "state",
        "strip_size",
        "temperature",
        "transport",
        "volume",
        "write_cache",
        "write_policy",
        "write_policy_initial",
    }
)
"""Names with a unit or words of their own, which no label gives as it stands."""
_NOT_LABELS = frozenset({
    "bcc", "by", "cc", "date", "edit", "from", "note", "ps", "re", "sent", "subject", "to",
    "update", "warning",
})  # fmt: skip
_NOTHING = frozenset({"", "-", "n/a", "na", "none."})


def other_labels(pairs: Mapping[str, str], read: Collection[str] = ()) -> dict[str, Scalar]:
    """What stands under labels that have no name of the records, by names made of these labels.

    Args:
        pairs: label → value, both as printed.
        read: labels that are read into names of the records.
    """
    values = as_labelled(pairs, read)
    return {
        name: value
        for name, value in values.items()
        if name not in _FIELDS and name not in _NOT_LABELS and str(value).lower() not in _NOTHING
    }


def policy_words(policies: Policies, name: str) -> tuple[str, Mapping[str, str]]:
    """What a tool calls a policy, and its words for values; it refuses a name that it lacks."""
    return policies.get(name, (name, {}))


def policy_word(policies: Policies, name: str, value: str) -> str:
    """A policy as the tool takes it: "wrcache=wb"; of a ratio the value is the share for reads."""
    policy, values = policy_words(policies, name)
    word = f"{value}/{100 - int(value)}" if policy == "cacheratio" else values.get(value, value)
    return f"{policy}={word}"


def volume_state(text: str) -> str:
    """A volume's state in the words that rules know; one that is not known in small letters."""
    state = text.strip().lower()
    return _VOLUME_STATES.get("".join(fields(state)), state)


def battery_state(text: str) -> str | None:
    """State of a battery by a controller's words: ok, charging, learning, missing, failed."""
    printed = text.strip().lower()
    if not printed or printed in {"n/a", "-", "unknown"}:
        return None
    for state, starts in _BATTERIES:
        if any(start in printed if len(start) > 3 else printed == start for start in starts):
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


def identifier_of(text: str | None) -> str | None:
    """A virtual drive's NAA identifier in small letters; None where the text is none."""
    return text.lower() if text and re.fullmatch(r"[0-9A-Fa-f]{16,32}", text) else None


def size_of(text: str | None) -> int | None:
    """Bytes of "14.551 TB" or "512MB", where makers of controllers mean 1024; None if none."""
    try:
        return None if text is None else units.parse_bytes(text.replace(" ", ""))
    except UsageError:
        return None
