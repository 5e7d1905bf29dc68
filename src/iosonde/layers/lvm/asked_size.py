"""The size for which a command asks that created a volume: `lvcreate -L 3G VG -n NAME`.

Source: lvcreate(8) of LVM 2.03: `-L|--size Size[m|UNIT]`, `-V|--virtualsize`, input units
"bBsSkKmMgGtTpPeE" of either case are of 1024, "s" is 512 bytes; a size that is no multiple of the
extents is announced by "Rounding up size to full physical extent".
"""

from __future__ import annotations

import re

from iosonde import kerneltext, units

_SIZE = re.compile(
    r"(?P<figure>\d{1,12}(?:\.\d{1,6})?)(?:(?P<unit>[bskmgtpe])(?:i?b)?)?", re.IGNORECASE
)
_SHORT = re.compile(r"-(?P<option>[LVn])=?(?P<value>\S{0,200})")
_SNAPSHOT = re.compile(r"-[a-zA-Z]{0,4}s[a-zA-Z]{0,4}|--snapshot|--type=?snapshot|snapshot")
_LONG = re.compile(r"--(?P<option>size|virtualsize|name)(?:=(?P<value>\S{1,200}))?")
_SHIFTS = {"k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60, "": 20}


def asked_size(command: str, volume: str) -> int | None:
    """Bytes for which the `lvcreate` of a volume asks; None where it says no size of its own.

    Args:
        command: as it stands at the prompt.
        volume: as the answer calls it, without its group.
    """
    parts = [part.strip("\"'") for part in kerneltext.fields(command)]
    at = next((at for at, part in enumerate(parts) if part.endswith("lvcreate")), None)
    if at is None or re.search(r"[;|&]", command):
        return None
    if any(_SNAPSHOT.fullmatch(part) for part in parts[at:]):
        return None  # -L is what it may differ from its origin, whose size it has
    asked = dict[str, str]()
    for part, following in zip(parts[at:], [*parts[at + 1 :], ""], strict=True):
        match = _SHORT.fullmatch(part) or _LONG.fullmatch(part)
        if match:
            option = {"size": "L", "virtualsize": "V", "name": "n"}.get(
                match["option"], match["option"]
            )
            asked[option] = match["value"] or following
    if asked.get("n", "").rpartition("/")[2] != volume:
        return None
    size = _SIZE.fullmatch(asked.get("V") or asked.get("L", ""))
    if size is None:
        return None
    unit = (size["unit"] or "").lower()
    of_unit = {"b": 1, "s": units.SECTOR}.get(unit) or 1 << _SHIFTS[unit]
    return round(float(size["figure"]) * of_unit)
