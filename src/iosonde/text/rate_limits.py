"""What a text says of limits that somebody set on the rate of I/O: by commands, files, or in words.

Source: Documentation/admin-guide/cgroup-v2.rst (io.max) and cgroup-v1/blkio-controller.rst of
Linux; tc(8); systemd.resource-control(5); virsh(1), blkdeviotune; docker-run(1); `aws ec2
modify-volume`, `az disk update`, OpenStack's QoS of volumes; rbd's rbd_qos_*.
"""

from __future__ import annotations

import re

_FIGURE = r"(?!0\b)\d[\d.,]{0,15}"
_LIMIT = re.compile(
    rf"\b[rw](?:bps|iops)={_FIGURE}"  # io.max
    rf"|\bblkio\.throttle\.(?:read|write)_(?:bps|iops)_device\b[^\n]{{0,20}}?\d+:\d+ {_FIGURE}"
    rf"|\bIO(?:Read|Write)(?:Bandwidth|IOPS)Max={_FIGURE}"
    rf"|\bIO(?:Read|Write)(?:Bandwidth|IOPS)Max=\"?/\S{{1,60}} {_FIGURE}"
    rf"|--device-(?:read|write)-(?:bps|iops)[= ]\S{{1,60}}:{_FIGURE}"
    r"|\btc (?:qdisc|class|filter) (?:add|change|replace)\b[^\n]{0,160}\b(?:rate|netem|police)\b"
    rf"|\b(?:total|read|write)[_-](?:bytes|iops)[_-]sec(?:[_-]max)?\b[ :=]{{1,4}}{_FIGURE}"
    rf"|\brbd_qos_\w{{1,20}}_limit[ =]{{1,3}}{_FIGURE}"
    rf"|\bmodify-volume\b[^\n]{{0,160}}--(?:iops|throughput)[= ]{_FIGURE}"
    rf"|--disk-(?:iops|mbps)-read-(?:write|only)[= ]{_FIGURE}"
    rf"|\"?\b(?:Iops|Throughput|provisionedIops|provisionedThroughput|diskIOPSReadWrite"
    rf"|diskMBpsReadWrite)\"?: ?\"?{_FIGURE}"
    rf"|\b(?:iops|mbps)(?:_rd|_wr)?(?:_max)?={_FIGURE}"  # qm set
    r"|\b(?i:limit(?:ed|s)?|cap(?:ped)?|thrott\w{2,6}|restricted|provisioned|qos)\b[^\n.;]{0,40}?"
    rf"{_FIGURE} ?k? ?(?:IOPS|iops|[kKMG]i?B/s|[kKMG]i?B ?ps|[KMG]bit/s|[KMG]bps|MBps)"
    rf"|{_FIGURE} ?k? ?(?:IOPS|iops|[kKMG]i?B/s|[KMG]bit/s|[KMG]bps|MBps)[^\n.;]{{0,20}}?"
    r"\b(?:limit|cap|max(?:imum)?|provisioned|baseline)\b",
)
_HINTS = (
    "bps", "iops", "b/s", "bit/s", "b ps", "bandwidth", "throughput", "tc ", "_sec", "-sec", "qos",
    "modify-volume",
)  # fmt: skip
"""One of them stands in whatever matches, in small letters."""
_OWN = re.compile(r"\b(?:iops|IOPS) ?: ?min=|\bBW=|\bbw=|copied")
"""What outputs of measurements say themselves."""


def may_say_limit(text: str) -> bool:
    """Whether one of the lines of a text may be one of which `says_limit` is true."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS)


def says_limit(text: str) -> bool:
    """Whether a line sets, shows or names a limit on the rate of I/O that is not lifted."""
    if not may_say_limit(text):
        return False
    return _LIMIT.search(text) is not None and _OWN.search(text) is None
