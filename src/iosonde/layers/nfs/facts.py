"""NFS: options of mounts, what a server exports, sections of nfs.conf, and /proc/net/rpc.

Source: nfs(5); fs/nfs/super.c, nfs_show_mount_options(): what the client and the server agreed on,
which is not always what was asked for; exportfs(8); nfs.conf(5). Linux fs/nfsd/stats.c (rc, fh, io,
th, ra), net/sunrpc/stats.c (net, rpc, procN), the order of operations in include/linux/nfs4.h and,
for clients, in nfs-utils 2.6.2, nfsstat.c. On 32-bit kernels `io`, in bytes, wrapped at 4 GiB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.layers._mounts.options import options_of
from iosonde.records.printed import without_none
from iosonde.records.stack import Json, Scalar

ETAB = "/var/lib/nfs/etab"
"""What the server exports now: a line "DIRECTORY TAB CLIENT(OPTIONS)" for each client."""
EXPORT_CLIENT = re.compile(
    r"(?P<client>[^\s()]*)(?P<apart>\s*)\((?P<options>[^()\s]*)\)|(?P<bare>\S+)"
)
"""A client with its options, or one alone, in a line of exports(5)."""
_SECTION = re.compile(r"^\s*\[\s*([\w-]+)[^\]]*\]")
_LINE = re.compile(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$")


def mount_facts(source: str, options: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Server, export and what the mount is, from its source and options. Sizes in bytes."""
    server, _, export = source.rpartition(":/")
    return without_none(
        {
            "server": server.strip("[]"),
            "export": "/" + export,
            "version": options.get("vers"),
            "protocol": options.get("proto"),
            "address": options.get("addr"),
            "read_size": figure(options.get("rsize")),
            "write_size": figure(options.get("wsize")),
            "connections": figure(options.get("nconnect")) or 1,
            "hard": None if not {"hard", "soft", "softerr"} & options.keys() else "hard" in options,
            "sync": "sync" in options,
        }
    )


def mount_values(fstype: str, source: str, options: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The same where a type of mount tells the version that its options leave out."""
    return mount_facts(source, {"vers": "4", **options} if fstype == "nfs4" else options)


def figure(value: Scalar) -> int | None:
    """An option that is a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() else None


@dataclass(frozen=True, slots=True)
class ExportClient:
    """A client of an export with its options, `*` for the whole world.

    `apart_from` is the client that a blank stands behind: its options are those of the world.
    """

    name: str
    options: dict[str, Scalar]
    apart_from: str = ""


def parse_clients(text: str) -> Iterator[ExportClient]:
    """The clients that have options, from what stands behind a directory (exports(5))."""
    alone = ""
    for match in EXPORT_CLIENT.finditer(text):
        if match["bare"]:
            alone = match["bare"]
            continue
        client, options = match["client"], options_of(match["options"].split(","))
        if not client or match["apart"]:
            yield ExportClient("*", options, client or alone)
        else:
            yield ExportClient("*" if client == "<world>" else client, options)


def parse_exports(text: str) -> dict[str, list[ExportClient]]:
    """Directory → its clients, from a file of exports(5) or /var/lib/nfs/etab (exportfs(8))."""
    exports: dict[str, list[ExportClient]] = {}
    for line in kerneltext.lines(text):
        directory, *rest = kerneltext.fields(line) or [""]
        if directory and not directory.startswith("#") and "(" in line:
            exports.setdefault(directory, []).extend(parse_clients(" ".join(rest)))
    return exports


def parse_section(text: str, wanted: str = "nfsd") -> dict[str, str]:
    """Name → value of one section of a file of nfs.conf(5)."""
    values: dict[str, str] = {}
    inside = False
    for line in kerneltext.lines(text):
        if heading := _SECTION.match(line):
            inside = heading[1] == wanted
        elif inside and (row := _LINE.match(line)):
            values[row[1]] = row[2]
    return values


# ── /proc/net/rpc ───────────────────────────────────────────────────────────────────────────────

_FIXED = {
    "rc": ("hits", "misses", "nocache"),
    "fh": ("stale", "lookups", "anonymous", "dir_not_in_dcache", "nondir_not_in_dcache"),
    "io": ("read", "written"),
    "net": ("packets", "udp", "tcp", "tcp_connections"),
    "rpc": ("calls", "bad_calls", "bad_format", "bad_auth", "bad_client"),
}
_RPC_CLIENT = ("calls", "retransmissions", "auth_refreshes")
_OPERATIONS = {
    "proc2": """
        null getattr setattr root lookup readlink read wrcache write create remove rename link
        symlink mkdir rmdir readdir fsstat
    """,
    "proc3": """
        null getattr setattr lookup access readlink read write create mkdir symlink mknod remove
        rmdir rename link readdir readdirplus fsstat fsinfo pathconf commit
    """,
    "proc4": "null compound",
    "proc4ops": """
        op0-unused op1-unused op2-future access close commit create delegpurge delegreturn
        getattr getfh link lock lockt locku lookup lookupp nverify open openattr open_confirm
        open_downgrade putfh putpubfh putrootfh read readdir readlink remove rename renew
        restorefh savefh secinfo setattr setclientid setclientid_confirm verify write
        release_lockowner backchannel_ctl bind_conn_to_session exchange_id create_session
        destroy_session free_stateid get_dir_delegation getdeviceinfo getdevicelist layoutcommit
        layoutget layoutreturn secinfo_no_name sequence set_ssv test_stateid want_delegation
        destroy_clientid reclaim_complete allocate copy copy_notify deallocate io_advise
        layouterror layoutstats offload_cancel offload_status read_plus seek write_same clone
        getxattr setxattr listxattrs removexattr
    """,
}
_PROC4_CLIENT = """
    null read write commit open open_confirm open_noattr open_downgrade close setattr fsinfo
    renew setclientid setclientid_confirm lock lockt locku access getattr lookup lookup_root
    remove rename link symlink create pathconf statfs readlink readdir server_caps
    delegreturn getacl setacl fs_locations release_lockowner secinfo fsid_present
    exchange_id create_session destroy_session sequence get_lease_time reclaim_complete
    layoutget getdeviceinfo layoutcommit layoutreturn secinfo_no_name test_stateid
    free_stateid getdevicelist bind_conn_to_session destroy_clientid seek allocate
    deallocate layoutstats clone
"""


def rpc_values(name: str, figures: Sequence[str], kind: str) -> Json:
    """The figures of a line of /proc/net/rpc/nfsd or /proc/net/rpc/nfs by their names.

    Args:
        name: the first word of the line.
        figures: the words that follow.
        kind: "nfsd" for the server's file, "nfs" for the client's.

    Raises:
        ValueError, IndexError, KeyError: this is none of those lines.
    """
    if name == "th":
        busy: list[Json] = [float(figure) for figure in figures[2:]]
        return {"threads": int(figures[0]), "all_busy": int(figures[1]), "busy": busy}
    numbers = [int(figure) for figure in figures]
    if name == "ra":
        return {"size": numbers[0], "depth": list(numbers[1:11]), "not_found": numbers[11]}
    if name == "wdeleg_getattr":
        return numbers[0]
    if name in _FIXED:
        names = _RPC_CLIENT if name == "rpc" and len(numbers) == 3 else _FIXED[name]
        return dict(zip(names, numbers, strict=False))
    of_client = name == "proc4" and kind == "nfs"
    operations = (_PROC4_CLIENT if of_client else _OPERATIONS[name]).split()
    counts = numbers[1:]
    unnamed = [f"op{number}" for number in range(len(operations), len(counts))]
    return dict(zip(operations + unnamed, counts, strict=False))


def parse_rpc(text: bytes) -> dict[str, Json]:
    """The lines of /proc/net/rpc/nfsd by their names; what is no such line is left out."""
    values: dict[str, Json] = {}
    for line in kerneltext.lines(kerneltext.decoded(text)):
        name, *figures = kerneltext.fields(line) or [""]
        with suppress(ValueError, IndexError, KeyError):
            values[name] = rpc_values(name, figures, "nfsd")
    return values
