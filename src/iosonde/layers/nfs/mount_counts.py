"""What a client counts of a mount beside its operations: events of the VFS, transports, flags.

Source: Linux include/linux/nfs_iostat.h, enum nfs_stat_eventcounters; net/sunrpc/xprtsock.c,
xs_tcp_print_stats(), xs_udp_print_stats() and xprtrdma/transport.c (connect_time in jiffies,
idle_time in seconds); fs/nfs/super.c, nfs_show_stats(); nfs-utils 2.6.2, mountstats.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.kerneltext import fields
from iosonde.records.stack import Json
from iosonde.text.reader import groups_of
from iosonde.text.torn import torn_words

_EVENTS = (
    "inode_revalidations", "dentry_revalidations", "data_invalidations",
    "attribute_invalidations", "vfs_open", "vfs_lookup", "vfs_access", "vfs_update_page",
    "vfs_read_page", "vfs_read_pages", "vfs_write_page", "vfs_write_pages", "vfs_getdents",
    "vfs_setattr", "vfs_flush", "vfs_fsync", "vfs_lock", "vfs_release", "congestion_waits",
    "setattr_truncations", "extending_writes", "silly_renames", "short_reads", "short_writes",
    "delays", "pnfs_reads", "pnfs_writes",
)  # fmt: skip
_EVENT_COUNTS = (len(_EVENTS), len(_EVENTS) - 2)  # without pNFS before Linux 3.2
_STREAM = ("port", "binds", "connects", "connect_time_jiffies", "idle_time", "sent", "received",
           "bad_xids", "requests_in_flight", "backlog")  # fmt: skip
_DATAGRAMS = ("port", "binds", "sent", "received", "bad_xids", "requests_in_flight", "backlog")
_SLOTS = ("slots", "sending", "pending")
_TRANSPORTS = {"tcp": _STREAM, "rdma": _STREAM, "local": _STREAM[1:], "udp": _DATAGRAMS}
_TRANSPORT = re.compile(r"\s*(?:tcp|udp|rdma|local)\b")
_PRINTED_EVENTS = {
    "data_invalidations": r"datacacheinvalidated(\d+)times",
    "attribute_invalidations": r"attributecacheinvalidated(\d+)times",
    "inode_revalidations": r"VFSrequested(\d+)inoderevalidations",
    "dentry_revalidations": r"VFSrequested(\d+)dentryrevalidations",
    "setattr_truncations": r"truncatingSETATTRs:(\d+)",
    "short_reads": r"shortreads:(\d+)", "short_writes": r"shortwrites:(\d+)",
    "delays": r"NFSERR_DELAYsfromserver:(\d+)",
    "pnfs_reads": r"pNFSREADs:(\d+)", "pnfs_writes": r"pNFSWRITEs:(\d+)",
}  # fmt: skip
_CALLED = re.compile(r"VFScallednfs_(\w{1,20}?)\(\)(\d{1,20})times")
_CALLS = {
    "readdir": "vfs_getdents", "lookup": "vfs_lookup", "permission": "vfs_access",
    "file_open": "vfs_open", "file_flush": "vfs_flush", "lock": "vfs_lock", "fsync": "vfs_fsync",
    "file_release": "vfs_release", "updatepage": "vfs_update_page", "readpage": "vfs_read_page",
    "readpages": "vfs_read_pages", "writepage": "vfs_write_page",
    "writepages": "vfs_write_pages", "setattr": "vfs_setattr",
}  # fmt: skip
_TRUNCATIONS = re.compile(
    r"extending WRITEs: (?P<extending_writes>\d{1,20}) "
    r"(?:(?P<silly_renames>\d{1,20}) silly renames)?"
)
_AGE = re.compile(
    r"NFSmountage:(?:(?P<days>\d{1,6})days?,)?(?P<hours>\d{1,2}):(?P<minutes>\d\d):(?P<seconds>\d\d)"
)


def event_counts(parts: Sequence[str]) -> dict[str, Json]:
    """The line `events:` of /proc/self/mountstats by names; empty where it has another length."""
    for count in _EVENT_COUNTS:
        figures = torn_words(parts, count)
        if len(figures) == count and all(figure.isdecimal() for figure in figures):
            return dict(zip(_EVENTS, map(int, figures), strict=False))
    return {}


def printed_events(text: str, spaced: str) -> dict[str, Json]:
    """The same as the command prints them, in a text without blanks and in one with single ones.

    Where a number stands at the end of a line and at the beginning of the next, blanks part them.
    """
    values: dict[str, Json] = {
        _CALLS[match[1]]: int(match[2]) for match in _CALLED.finditer(text) if match[1] in _CALLS
    }
    for name, pattern in _PRINTED_EVENTS.items():
        if match := re.search(pattern, text):
            values[name] = int(match[1])
    if match := _TRUNCATIONS.search(spaced):
        values |= groups_of(match)
    return values


def transports(parts: Sequence[str]) -> list[Json]:
    """The lines `xprt:`, one for each connection; times are as the kernel has them."""
    each: list[list[str]] = []
    for part in parts:
        if _TRANSPORT.match(part):
            each.append([part])
        elif each:
            each[-1].append(part)
    return [values for lines in each if (values := _transport(lines))]


def _transport(parts: Sequence[str]) -> dict[str, Json]:
    protocol = fields(parts[0])[0]
    names = _TRANSPORTS[protocol]
    for count in (len(names) + 1 + len(_SLOTS), len(names) + 1):
        figures = torn_words(parts, count)[1:]
        if len(figures) == count - 1 and all(figure.isdecimal() for figure in figures):
            named = zip((*names, *_SLOTS), map(int, figures), strict=False)
            return {"protocol": protocol, **dict(named)}
    return {}


def flags(text: str) -> dict[str, Json]:
    """`caps=0x3fff,wtmult=512,sessions` without blanks, by names; bare words are true."""
    values: dict[str, Json] = {}
    for item in text.split(","):
        name, is_set, value = item.strip().partition("=")
        if name:
            values[name] = int(value) if value.isdecimal() else value if is_set else True
    return values


def implementation(text: str) -> Iterator[tuple[str, Json]]:
    """What `impl_id:` says of the server, where it says anything."""
    for match in re.finditer(r"(name|domain|date)='([^']{0,200})'", text):
        if match[2] and match[2] != "0,0":
            yield match[1], match[2]


def printed_age(text: str) -> int | None:
    """Seconds since the mount, as the command prints them, in a text without blanks."""
    if (match := _AGE.search(text)) is None:
        return None
    hours = int(match["days"] or 0) * 24 + int(match["hours"])
    return (hours * 60 + int(match["minutes"])) * 60 + int(match["seconds"])
