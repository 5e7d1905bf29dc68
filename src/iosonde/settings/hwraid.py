"""Policies of a RAID controller's virtual drive; the address is "TOOL VOLUME IDENTIFIER NAME".

TOOL is the path of storcli, perccli or ssacli, VOLUME "c0/v3" or "slot0/ld1", IDENTIFIER its NAA:
a virtual drive that was made anew under the same number is another one. The controller keeps its
policies itself. On a Smart Array the cache of the drives and the ratio are the controller's, and
hold for all of its virtual drives.

Source: StorCLI reference manual, "set wrcache, rdcache, iopolicy, pdcache", where "Status =
Success" counts and not the exit status; HPE Smart Storage Administrator user guide, "modify";
`ssacli help`. The columns as layers/outputs reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records import Scalar
from iosonde.settings.mechanism import Lasting, looked

_MEGARAID: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "write_policy": (
        "wrcache", {"write_through": "wt", "write_back": "wb", "write_back_always": "awb"}
    ),
    "read_ahead": ("rdcache", {"on": "ra", "off": "nora"}),
    "io_policy": ("iopolicy", {"direct": "direct", "cached": "cached"}),
    "disk_cache": ("pdcache", {"default": "default", "enabled": "on", "disabled": "off"}),
}  # fmt: skip
_SMART_ARRAY: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "write_policy": (
        "arrayaccelerator", {"write_through": "disable", "write_back": "enable"}
    ),
    "disk_cache": (
        "drivewritecache", {"default": "default", "enabled": "enable", "disabled": "disable"}
    ),
    "cache_ratio": ("cacheratio", {}),
}  # fmt: skip
# $1 the tool, $2 the volume, $3 its identifier, $4 the name. The policy of writes that counts is
# the one that was set, not the one in force while the battery is off duty.
_MEGARAID_LOOK = (
    '"$1" "/$2" show all 2>&1 | awk -v id="$3" -v w="$4" \''
    'tolower($0) ~ "scsi naa id = *" id " *$" { same = 1 } '
    "/^ *[0-9-]+\\/[0-9]+ +[A-Za-z]+[0-9]+ / { c = $6 } "
    '/Write Cache.initial setting. = / { i = $0; sub(/.*= */, "", i) } '
    '/Disk Cache Policy = / { d = $0; sub(/.*= */, "", d) } '
    'END { if (!same || c == "") exit 1; '
    'if (w == "write_policy") print (c ~ /AWB|FWB/ || i ~ /^Always/) ? "write_back_always" : '
    '(i ~ /Back *$/ || (i == "" && c ~ /WB/)) ? "write_back" : "write_through"; '
    'else if (w == "read_ahead") print (c ~ /^NR/) ? "off" : "on"; '
    'else if (w == "io_policy") print (c ~ /C$/) ? "cached" : "direct"; '
    'else if (w == "disk_cache") '
    'print (d ~ /^Enabled/) ? "enabled" : (d ~ /^Disabled/) ? "disabled" : "default"; '
    "else exit 1 }'"
)
_MEGARAID_CHANGE = (
    'o=$("$1" "/$2" set "$3" 2>&1); case $o in *"Status = Success"*) exit 0;; esac; '
    'printf "%s\\n" "$o" | sed -n \'/Description = /s///p;/^syntax/p\' >&2; exit 1'
)
_SMART_ARRAY_LOOK = (
    's=${2%%/*} l=${2##*/ld}; "$1" ctrl slot="${s#slot}" show config detail 2>&1 | '
    'awk -v id="$3" -v w="$4" -v ld="$l" \''
    "/^ *Logical Drive: / { v = $3 } /^ *physicaldrive / { v = 0 } "
    'v == ld && tolower($0) ~ "unique identifier: *" id " *$" { same = 1 } '
    'v == ld && /^ *(Caching|Array Accelerator): / { c = ($0 ~ /: *Enabled/) ? "write_back" : '
    '"write_through" } '
    "/^ *(Cache|Accelerator) Ratio: / { for (i = 1; i < NF; i++) "
    'if ($i ~ /%$/ && $(i + 1) == "Read") r = $i + 0 } '
    '/^ *Drive Write Cache: / { d = ($0 ~ /: *Enabled/) ? "enabled" : "disabled" } '
    '/^ *Configured Drive Write Cache Policy: / { d = ($NF == "Default") ? "default" : '
    '($NF == "Enabled") ? "enabled" : "disabled" } '
    "END { if (!same) exit 1; "
    'x = (w == "write_policy") ? c : (w == "cache_ratio") ? r : (w == "disk_cache") ? d : ""; '
    'if (x == "") exit 1; print x }\''
)
_SMART_ARRAY_CHANGE = (
    's=${2%%/*} l=${2##*/ld}; s=${s#slot}; case $3 in arrayaccelerator=*) set -- "$1" ld "$l" '
    'modify "$3" forced;; drivewritecache=*) if "$1" ctrl slot="$s" show 2>&1 | '
    'grep -q \'Configured Drive Write Cache Policy\'; then set -- "$1" modify "$3" '
    'usage=configured forced; else set -- "$1" modify "$3" forced; fi;; '
    '*) set -- "$1" modify "$3" forced;; esac; t=$1; shift; '
    'o=$("$t" ctrl slot="$s" "$@" 2>&1) && case $o in *Error:*) false;; esac && exit 0; '
    'printf "%s\\n" "$o" | grep Error: >&2; exit 1'
)


def _parts(address: str) -> tuple[str, str, str, str]:
    tool, volume, identifier, name = address.rsplit(" ", 3)
    return tool, volume, identifier, name


class Hwraid(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "hwraid"

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        return await looked(host, self, addresses)

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        _, volume, _, _ = parts = _parts(address)
        script = _SMART_ARRAY_LOOK if volume.startswith("slot") else _MEGARAID_LOOK
        return ("sh", "-c", script, "sh", *parts)

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        tool, volume, _, _ = _parts(address)
        word, known = _known(address)
        said = f"{value}/{100 - int(value)}" if word == "cacheratio" else known.get(value, value)
        script = _SMART_ARRAY_CHANGE if volume.startswith("slot") else _MEGARAID_CHANGE
        return ("sh", "-c", script, "sh", tool, volume, f"{word}={said}")


def _known(address: str) -> tuple[str, Mapping[str, str]]:
    """What the tool calls a policy, and its words for the values."""
    _, volume, _, name = _parts(address)
    table = _SMART_ARRAY if volume.startswith("slot") else _MEGARAID
    return table.get(name, (name, {}))
