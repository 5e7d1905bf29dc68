"""What `zpool status` and `zpool list` say, and how ZFS abbreviates numbers.

Source:
    OpenZFS 2.2, cmd/zpool/zpool_main.c (show_status, print_status_config, list_callback),
    lib/libzfs/libzfs_pool.c (state names), lib/libzutil/zutil_nicenum.c (prefixes
    are of 1024, of counts too); zpoolprops(7), zpool-status(8).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from iosonde.kerneltext import fields
from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.stack import Scalar
from iosonde.text.intervals import prints_many

STATES = (
    "ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL", "REMOVED", "SUSPENDED", "AVAIL", "INUSE",
)  # fmt: skip
SUSPENDED = "pool I/O is currently suspended"
"""What commands that a suspended pool refuses say, and `zpool status` of its errors."""
_NUMBER = r"\d{1,19}(?:[.,]\d{1,3})?[KMGTPE]?"
_STATE = "|".join(STATES)
_ROW = re.compile(
    rf"(?<!\S)(?P<name>\S{{1,120}}) (?P<state>{_STATE})(?!\S)"
    rf"(?: (?P<read>{_NUMBER}) (?P<write>{_NUMBER}) (?P<checksum>{_NUMBER})(?!\S))?"
)
GROUP = re.compile(r"(?:mirror|raidz\d?|draid\S*|replacing|spare|root)-\d+$|draid\S*$")
"""Name of a vdev that others make up."""
_SECTION = re.compile(r"(?<!\S)(logs|cache|spares|special|dedup)(?!\S)")
_BLOCK_SIZE = re.compile(r"blocksize:(\d+)Bconfigured,(\d+)Bnative")
_NOTE = re.compile(
    r" ?\(?(resilvering|repairing|awaiting resilver|trimming|non-allocating|removing|too small"
    r"|split into new pool|too many errors|too many slow I/Os|currently in use|corrupted data"
    r"|cannot open|missing device|was /\S{1,80}|experienced I/O failures|external device fault"
    r"|insufficient replicas|all children offline|bad intent log|unsupported feature\(s\)"
    r"|[\d.,]{1,8}[KMGTP]? repaired)"
    r"(?:\)|(?!\S))"
)
"""What print_status_config() writes behind a device's figures."""
_NAMES = "pool|id|state|status|action|comment|see|scan|scrub|remove|checkpoint|config|errors"
_KEYS = re.compile(rf"(?<!\S)({_NAMES}):(?: |$)")
_KEY_LINE = re.compile(rf" {{0,8}}(?:{_NAMES}):(?!\S)")


ROUNDED = "rounded"
"""The fact that names the counts which were printed in short."""
_SHORT = re.compile(r"(?P<digits>\d{1,4})(?:[.,](?P<decimals>\d{1,3}))?[KMGTPE]")
_WHOLE = 100  # units from which on what has no point may be rounded


def number(text: str) -> int | float:
    """A number as zfs_nicenum prints it: "1.2K" is 1.2 × 1024, and so is "1,2K".

    It is printf() that writes the point, a comma in many languages; thousands are not grouped.
    """
    text = (text.removesuffix("B") if text[:-1] else text).replace(",", ".")
    if text[-1:] in "KMGTPEZ":
        return float(text[:-1]) * 1024.0 ** (1 + "KMGTPEZ".index(text[-1]))
    return float(text) if "." in text else int(text)


def whole(text: str) -> int:
    """The same, without a fraction."""
    return round(number(text))


def counts_of(printed: Mapping[str, str]) -> dict[str, Scalar]:
    """Counts by their names, to the digits that were printed, and which of them are rounded.

    Source: OpenZFS 2.2, lib/libzutil/zutil_nicenum.c, zfs_nicenum_format(): in units of 1024, three
    digits; a whole multiple of the unit has no point, nor has what is 100 units or more.
    """
    facts: dict[str, Scalar] = {}
    rounded = []
    for name, text in printed.items():
        facts[name] = round(number(text))
        match = _SHORT.fullmatch(text)
        if match and (match["decimals"] or int(match["digits"]) >= _WHOLE):
            unit = number(f"1{text[-1]}") / 10 ** len(match["decimals"] or "")
            facts[name] = round(round(number(text)), -math.floor(math.log10(unit)))
            rounded.append(name)
    return {**facts, **({ROUNDED: " ".join(rounded)} if rounded else {})}


def keys_of(flow: str) -> dict[str, str]:
    """The parts of `zpool status` for one pool by their names, each in one line."""
    parts = _KEYS.split(flow)
    return {key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=False)}


def is_key_line(line: str) -> bool:
    """Whether a part of `zpool status` begins in a line."""
    return _KEY_LINE.match(line) is not None


def pool_state(state: str, of_root: Scalar) -> dict[str, Scalar]:
    """A pool's state, and its root vdev's where that is another: a suspended pool has two.

    Source: OpenZFS 2.2, lib/libzfs/libzfs_pool.c, zpool_get_state_str().
    """
    return {"state": state, **({"root_state": of_root} if of_root not in {None, state} else {})}


def devices_of(config: str) -> list[tuple[str, dict[str, Scalar]]]:
    """Name and facts of each row of the table, the pool's first."""
    rows = list(_ROW.finditer(config))
    devices: list[tuple[str, dict[str, Scalar]]] = []
    group = section = ""
    for place, row in enumerate(rows):
        begin = rows[place - 1].end() if place else 0
        if sections := _SECTION.findall(config, begin, row.start()):
            section, group = sections[-1], ""
        end = rows[place + 1].start() if place + 1 < len(rows) else len(config)
        facts: dict[str, Scalar] = {"state": row["state"]}
        if row["read"]:
            facts |= counts_of({
                "read_errors": row["read"], "write_errors": row["write"],
                "checksum_errors": row["checksum"],
            })  # fmt: skip
        if size := _BLOCK_SIZE.match("".join(fields(config[row.end() : end].replace("\n", " ")))):
            facts |= {"block_size": int(size[1]), "physical_block_size": int(size[2])}
        if note := _NOTE.match(config, row.end(), end):
            facts["note"] = note[1]
        if GROUP.search(row["name"]):
            group = row["name"] if not row["name"].startswith(("replacing", "spare")) else group
            facts["group"] = True
        elif place and group:
            facts["part_of"] = group
        if section:
            facts["use"] = section
        devices.append((row["name"], facts))
    return devices


def since_boot(report: int, command: str, *, is_alone: bool = False) -> bool | None:
    """Whether a report of `zpool iostat` is of averages since boot; None where that is not known.

    Args:
        report: which of the printed ones it is, the first being 1.
        command: that printed it; `-y` leaves out the averages.
        is_alone: no other is shown: of a command that prints many it may be any of them.
    """
    if report > 1:
        return False
    if not command or (is_alone and prints_many(command, "zpool iostat")):
        return None
    return not re.search(r"\s-\w*y", command)


MEMBER = CarriedContent(
    what="belongs to a pool of ZFS",
    instead="`zpool import` lists pools that can be imported; `zpool import -o readonly=on POOL` "
    "looks at one without changing it",
)

VERSION = PackageVersion(
    {"zfs": rf"zfs-{V}", "zfs-kmod": rf"zfs-kmod-{V}"},
    anchors=("zfs-",),
    commands=("zfs", "zpool"),
)
"""Source: OpenZFS 2.2, zfs_main.c, zfs_do_version()."""
