"""What hdparm prints of a drive below its name and sizes: standards, features, security, modes.

Source: hdparm 9.65, identify.c, identify(): a star before a feature that is enabled, else only
supported; secu_str[] ("supported", "enabled", "locked", "frozen", "expired: security count"), each
with "not" before it where it does not hold; "%umin for SECURITY ERASE UNIT"; "cache/buffer size  =
%u KBytes"; "R/W multiple sector transfer: Max = %u" with "Current = %u" behind it; the second
column of figures under "Configuration" is the current one. hdparm.c, dump_identity() (-i): a star
before the mode that is in use, "?16?" where a count is not known to hold.
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


_QUICK = re.compile(
    r"(?<![\w/:])(?P<name>[A-Z]\w{2,11}|tDMA|tPIO)="
    r"(?P<value>\{[^{}]{0,120}\}|yes: mode=\w{1,6} \(\d{1,3}\)|[^,={}]{0,60}?)"
    r"(?=\s{0,30}(?:,|$)|\s{1,30}[A-Z]\w{1,11}=)"
)
_MODES = re.compile(r"\s*(?P<kind>PIO|DMA|UDMA) modes:\s+(?P<modes>\S.{0,80}?)\s*$")
_IN_USE = re.compile(r"\*([a-z]{3,4}\d)")
_CONFORMS = re.compile(r"\s*Drive conforms to:\s*(?P<to>\S.{0,120}?)\s*$")
_QUICK_NAMES = {
    "Config": "configuration", "RawCHS": "raw_chs", "TrkSize": "track_size",
    "SectSize": "sect_size", "ECCbytes": "ecc_bytes", "BuffType": "buffer_type",
    "MaxMultSect": "multcount_max", "MultSect": "multcount", "CurCHS": "current_chs",
    "CurSects": "current_sectors", "LBA": "lba", "IORDY": "iordy", "tPIO": "pio_times",
    "tDMA": "dma_times", "AdvancedPM": "advanced_pm",
}  # fmt: skip


def quick_rest(texts: Sequence[str]) -> dict[str, Scalar]:
    """Facts of the lines that -i prints of one drive, besides what -I says too."""
    values: dict[str, Scalar] = {}
    for text in texts:
        for pair in _QUICK.finditer(text):
            value = pair["value"].strip("{} ")
            size = re.fullmatch(r"(\d{1,9})kB", value) if pair["name"] == "BuffSize" else None
            if size:
                values["buffer_size"] = int(size[1]) * units.KIB
            if value and pair["name"] in _QUICK_NAMES:
                values[_QUICK_NAMES[pair["name"]]] = int(value) if value.isdecimal() else value
        if modes := _MODES.match(text):
            names = " ".join(fields(modes["modes"]))
            values[f"{modes['kind'].lower()}_modes"] = names.replace("*", "")
            if in_use := _IN_USE.search(names):
                values["transfer_mode"] = in_use[1]
        elif conforms := _CONFORMS.match(text):
            values["conforms_to"] = conforms["to"]
    return values
