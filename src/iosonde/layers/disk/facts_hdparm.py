"""What `hdparm -I` prints of a drive below its name and sizes: standards, features, security.

Source: hdparm 9.65, identify.c, identify(): a star before a feature that is enabled, else only
supported; secu_str[] ("supported", "enabled", "locked", "frozen", "expired: security count"), each
with "not" before it where it does not hold; "%umin for SECURITY ERASE UNIT"; "cache/buffer size  =
%u KBytes"; "R/W multiple sector transfer: Max = %u" with "Current = %u" behind it; the second
column of figures under "Configuration" is the current one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.stack import Scalar

_SECTION = re.compile(
    r"\s*(?P<title>Standards|Configuration|Capabilities|Commands/features|Security"
    r"|HW reset results|Logical Unit WWN Device Identifier|Checksum):(?:\s|$)"
)
_FEATURE = re.compile(r"\s+(?P<star>\*\s+)?(?P<what>[\w{][\w/ ,.(){}|\[\]+-]{2,70}?)\s*$")
_SECURITY = re.compile(
    r"\s++(?P<no>not\s++)?(?P<what>supported: enhanced erase|supported|enabled|locked|frozen"
    r"|expired)(?:: security count)?\s*$"
)
_ERASE = re.compile(r"(?P<minutes>\d{1,6})min for (?P<enhanced>ENHANCED )?SECURITY ERASE UNIT")
_MULTIPLE = re.compile(
    r"\s*R/W multiple sector transfer: Max = (?P<most>\d{1,5})(?:\s+Current = (?P<now>\d{1,5}))?"
)
_GEOMETRY = re.compile(
    r"\s+(?P<what>cylinders|heads|sectors/track)\s+\d{1,9}\s+(?P<now>\d{1,9})\s*$"
)
_BUFFER = re.compile(r"\s*cache/buffer size\s+= (\d{1,9}) KBytes")
_STANDARDS = re.compile(r"\s*Supported: (\d{1,2}(?: \d{1,2}){0,20})\s*$")
_USED = re.compile(r"\s*(?:Likely u|U)sed: (\S.{0,80}?)\s*$")
_PLACES = {"cylinders": "cylinders", "heads": "heads", "sectors/track": "sectors_per_track"}


def identity_rest(texts: Sequence[str]) -> dict[str, Scalar]:
    """Facts of the lines of one drive that -I prints.

    Sizes are in bytes, times in seconds; features stand as one text with "; " between them.
    """
    values: dict[str, Scalar] = {}
    features: dict[str, list[str]] = {"features_enabled": [], "features_not_enabled": []}
    section = ""
    for text in texts:
        if title := _SECTION.match(text):
            section = title["title"]
        elif section == "Commands/features":
            feature = _FEATURE.match(text)
            if feature and not feature["what"].startswith("Enabled"):
                enabled = "features_enabled" if feature["star"] else "features_not_enabled"
                features[enabled].append(" ".join(fields(feature["what"])))
        elif section == "Security":
            values |= _security(text)
        else:
            values |= _labelled(text)
    return values | {name: "; ".join(names) for name, names in features.items() if names}


def _security(text: str) -> dict[str, Scalar]:
    if state := _SECURITY.match(text):
        name = state["what"].replace("supported: enhanced erase", "enhanced_erase")
        return {f"security_{name}": state["no"] is None}
    return {
        f"security_{'enhanced_' if erase['enhanced'] else ''}erase_time": int(erase["minutes"]) * 60
        for erase in _ERASE.finditer(text)
    }


def _labelled(text: str) -> dict[str, Scalar]:
    if match := _MULTIPLE.match(text):
        now = {"multcount": int(match["now"])} if match["now"] else {}
        return {"multcount_max": int(match["most"]), **now}
    if match := _GEOMETRY.match(text):
        return {_PLACES[match["what"]]: int(match["now"])}
    if match := _BUFFER.match(text):
        return {"buffer_size": int(match[1]) * units.KIB}
    if match := _STANDARDS.match(text):
        return {"ata_versions": match[1]}
    if match := _USED.match(text):
        return {"ata_version_used": match[1]}
    return {}
