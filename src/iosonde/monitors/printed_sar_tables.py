"""The other tables of sar: memory, paging, swap, queues, file systems, NFS, sockets and the rest.

What has a name of its own here is in bytes, seconds and fractions; the rest keeps the name that
sar prints, with its unit.

Source: sysstat 12.7, activity.c, hdr_line of every activity; sar(1) for the units: kB are 1024
bytes, pages are counted. sysstat 9 and 10 for kbswpfree beside kbmemfree, frmpg/s and pgscand/s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.monitors.printed_sysstat import SysstatTable

_K, _M = float(units.KIB), float(units.MIB)
_NAMED: dict[str, tuple[str, float]] = {
    "proc/s": ("processes_created", 1), "cswch/s": ("context_switches", 1),
    "intr/s": ("interrupts", 1), "pswpin/s": ("swapped_in_pages", 1),
    "pswpout/s": ("swapped_out_pages", 1),
    "pgpgin/s": ("paged_in", _K), "pgpgout/s": ("paged_out", _K), "fault/s": ("faults", 1),
    "majflt/s": ("major_faults", 1), "pgfree/s": ("freed_pages", 1),
    "pgscank/s": ("scanned_pages_by_kswapd", 1), "pgscand/s": ("scanned_pages_directly", 1),
    "pgsteal/s": ("reclaimed_pages", 1), "%vmeff": ("reclaim_efficiency", 0.01),
    "pgprom/s": ("promoted_pages", 1), "pgdem/s": ("demoted_pages", 1),
    "kbmemfree": ("memory_free", _K), "kbavail": ("memory_available", _K),
    "kbmemused": ("memory_used", _K), "%memused": ("memory_used_share", 0.01),
    "kbbuffers": ("buffers", _K), "kbcached": ("page_cache", _K), "kbcommit": ("committed", _K),
    "%commit": ("committed_share", 0.01), "kbactive": ("active", _K), "kbinact": ("inactive", _K),
    "kbdirty": ("dirty", _K), "kbanonpg": ("anonymous", _K), "kbslab": ("slab", _K),
    "kbkstack": ("kernel_stacks", _K), "kbpgtbl": ("page_tables", _K),
    "kbvmused": ("vmalloc_used", _K), "kbshmem": ("shared", _K), "kbmemshrd": ("shared", _K),
    "kbswpfree": ("swap_free", _K), "kbswpused": ("swap_used", _K),
    "%swpused": ("swap_used_share", 0.01), "kbswpcad": ("swap_cached", _K),
    "%swpcad": ("swap_cached_share", 0.01),
    "frmpg/s": ("freed_pages", 1), "bufpg/s": ("buffer_pages", 1), "campg/s": ("cache_pages", 1),
    "dentunusd": ("unused_dentries", 1), "file-nr": ("open_files", 1), "inode-nr": ("inodes", 1),
    "file-sz": ("open_files", 1), "inode-sz": ("inodes", 1), "super-sz": ("superblocks", 1),
    "%file-sz": ("open_files_share", 0.01), "dquot-sz": ("quotas", 1),
    "%dquot-sz": ("quotas_share", 0.01), "rtsig-sz": ("signals", 1),
    "%rtsig-sz": ("signals_share", 0.01), "%super-sz": ("superblocks_share", 0.01),
    "pty-nr": ("pseudo_terminals", 1),
    "runq-sz": ("run_queue", 1), "plist-sz": ("tasks", 1), "ldavg-1": ("load_1m", 1),
    "ldavg-5": ("load_5m", 1), "ldavg-15": ("load_15m", 1), "blocked": ("blocked", 1),
    "kbhugfree": ("huge_pages_free", _K), "kbhugused": ("huge_pages_used", _K),
    "%hugused": ("huge_pages_used_share", 0.01), "kbhugrsvd": ("huge_pages_reserved", _K),
    "kbhugsurp": ("huge_pages_surplus", _K),
    "call/s": ("nfs_calls", 1), "retrans/s": ("nfs_retransmissions", 1),
    "read/s": ("nfs_reads", 1), "write/s": ("nfs_writes", 1), "access/s": ("nfs_accesses", 1),
    "getatt/s": ("nfs_getattrs", 1),
    "scall/s": ("nfsd_calls", 1), "badcall/s": ("nfsd_bad_calls", 1),
    "packet/s": ("nfsd_packets", 1), "udp/s": ("nfsd_udp_packets", 1),
    "tcp/s": ("nfsd_tcp_packets", 1), "hit/s": ("nfsd_cache_hits", 1),
    "miss/s": ("nfsd_cache_misses", 1), "sread/s": ("nfsd_reads", 1),
    "swrite/s": ("nfsd_writes", 1), "saccess/s": ("nfsd_accesses", 1),
    "sgetatt/s": ("nfsd_getattrs", 1),
    "totsck": ("sockets", 1), "tcpsck": ("tcp_sockets", 1), "udpsck": ("udp_sockets", 1),
    "rawsck": ("raw_sockets", 1), "ip-frag": ("ip_fragments", 1), "tcp-tw": ("tcp_time_wait", 1),
    "active/s": ("tcp_active_opens", 1), "passive/s": ("tcp_passive_opens", 1),
    "iseg/s": ("tcp_segments_in", 1), "oseg/s": ("tcp_segments_out", 1),
    "retrseg/s": ("tcp_retransmissions", 1),
}  # fmt: skip
_PRESSURE = {
    f"%{who}{what}{over}": (
        f"{what if what != 'scpu' else 'cpu'}_{'some' if who == 's' else 'full'}"
        + (f"_{over[1:]}s" if over else "_share"),
        0.01,
    )
    for what in ("cpu", "io", "mem")
    for who in ("s", "f")
    for over in ("-10", "-60", "-300", "")
}
"""-q of 12.6: shares of the time in which some or all tasks waited."""
_AS_PRINTED = (
    "irec/s", "fwddgm/s", "idel/s", "orq/s", "asmrq/s", "asmok/s", "fragok/s", "fragcrt/s",
    "ihdrerr/s", "iadrerr/s", "iukwnpr/s", "idisc/s", "odisc/s", "onort/s", "asmf/s",
    "fragf/s", "imsg/s", "omsg/s", "iech/s", "iechr/s", "oech/s", "oechr/s", "itm/s",
    "itmr/s", "otm/s", "otmr/s", "iadrmk/s", "iadrmkr/s", "oadrmk/s", "oadrmkr/s", "ierr/s",
    "oerr/s", "idstunr/s", "odstunr/s", "itmex/s", "otmex/s", "iparmpb/s", "oparmpb/s",
    "isrcq/s", "osrcq/s", "iredir/s", "oredir/s", "atmptf/s", "estres/s", "isegerr/s",
    "orsts/s", "idgm/s", "odgm/s", "noport/s", "idgmerr/s", "tcp6sck", "udp6sck", "raw6sck",
    "ip6-frag", "irec6/s", "fwddgm6/s", "idel6/s", "orq6/s", "asmrq6/s", "asmok6/s",
    "imcpck6/s", "omcpck6/s", "fragok6/s", "fragcr6/s", "ihdrer6/s", "iadrer6/s", "iukwnp6/s",
    "i2big6/s", "idisc6/s", "odisc6/s", "inort6/s", "onort6/s", "asmf6/s", "fragf6/s",
    "itrpck6/s", "imsg6/s", "omsg6/s", "iech6/s", "iechr6/s", "oechr6/s", "igmbq6/s",
    "igmbr6/s", "ogmbr6/s", "igmbrd6/s", "ogmbrd6/s", "irtsol6/s", "ortsol6/s", "irtad6/s",
    "inbsol6/s", "onbsol6/s", "inbad6/s", "onbad6/s", "ierr6/s", "idtunr6/s", "odtunr6/s",
    "itmex6/s", "otmex6/s", "iprmpb6/s", "oprmpb6/s", "iredir6/s", "oredir6/s", "ipck2b6/s",
    "opck2b6/s", "idgm6/s", "odgm6/s", "noport6/s", "idgmer6/s",
)  # fmt: skip
_HOST = _NAMED | _PRESSURE | {name: (name, 1.0) for name in _AS_PRINTED}


_OF_TCP = "atmptf/s"


class SarHost(SysstatTable):
    """Every table that has one row an interval."""

    tool = "sar"
    anchors = (
        "proc/s", "cswch/s", "pswpin/s", "pgpgin/s", "kbmemfree", "kbswpfree", "frmpg/s",
        "dentunusd", "inode-sz", "runq-sz", "kbhugfree", "retrans/s", "badcall/s", "totsck",
        "asmrq/s", "ihdrerr/s", "oechr/s", "iparmpb/s", "passive/s", "noport/s",
        "tcp6sck", "asmrq6/s", "ihdrer6/s", "igmbq6/s", "iprmpb6/s", "noport6/s", "%scpu-10",
        "%sio-10", "%smem-10", "pgprom/s",
    )  # fmt: skip
    commands = ("sar",)
    columns = _HOST
    needed = frozenset()

    @override
    def is_head(self, cells: Sequence[str]) -> bool:
        return len(cells) > 2 and _OF_TCP not in cells and super().is_head(cells)


class _SarThings(SysstatTable):
    """A table of `sar` of its own."""

    tool = "sar"
    commands = ("sar",)


class SarTcpErrors(_SarThings):
    """`sar -n ETCP`, whose retransmissions are called as those of NFS."""

    anchors = ("atmptf/s",)
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        **_HOST, "retrans/s": ("tcp_retransmissions", 1),
    }  # fmt: skip
    needed = frozenset({_OF_TCP})


class SarLinkErrors(_SarThings):
    anchors = ("rxerr/s", "rxdrop/s")
    kind = "link"
    key = "IFACE"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "rxerr/s": ("receive.errors", 1), "txerr/s": ("send.errors", 1),
        "coll/s": ("collisions", 1), "rxdrop/s": ("receive.dropped", 1),
        "txdrop/s": ("send.dropped", 1), "txcarr/s": ("send.carrier_errors", 1),
        "rxfram/s": ("receive.frame_errors", 1), "rxfifo/s": ("receive.fifo_errors", 1),
        "txfifo/s": ("send.fifo_errors", 1),
    }  # fmt: skip
    needed = frozenset({"rxerr/s", "txerr/s"})


class SarFilesystems(_SarThings):
    anchors = ("MBfsfree",)
    kind = "mount"
    key = "FILESYSTEM"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "MBfsfree": ("free", _M), "MBfsused": ("used", _M), "%fsused": ("used_share", 0.01),
        "%ufsused": ("used_share_of_users", 0.01), "Ifree": ("inodes_free", 1),
        "Iused": ("inodes_used", 1), "%Iused": ("inodes_used_share", 0.01),
    }  # fmt: skip
    text_columns = frozenset({"MOUNTPOINT"})
    needed = frozenset({"MBfsfree", "MBfsused"})


class SarMounts(SarFilesystems):
    """`sar -F MOUNT`, which names mount points alone."""

    key = "MOUNTPOINT"
    text_columns = frozenset()


class SarFibreChannel(_SarThings):
    anchors = ("fch_rxf/s",)
    kind = "link"
    key = "FCHOST"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "fch_rxf/s": ("receive.frames", 1), "fch_txf/s": ("send.frames", 1),
        "fch_rxw/s": ("receive.words", 1), "fch_txw/s": ("send.words", 1),
    }  # fmt: skip
    needed = frozenset({"fch_rxf/s"})
