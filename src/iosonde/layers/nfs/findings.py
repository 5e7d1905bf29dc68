"""NFS exports and mounts: what their options risk or cost."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from iosonde import units
from iosonde.layers._requests import goes_to
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, is_printed
from iosonde.records.finding import Evidence, Finding

_LOCAL = {"localhost", "localhost.localdomain", "::1"}
_SMALL = 64 * units.KIB
_USUAL = units.MIB
_DATAGRAM = 32 * units.KIB
"""Bytes of a call over UDP at most: RPCSVC_MAXPAYLOAD_UDP, include/linux/sunrpc/svc.h."""
_FAST = 1_250_000_000  # B/s: 10 Gbit/s, about what one connection and its CPU carry
_AGAIN = 0.01  # of the calls
_MANY_CALLS = 1000
_ATIME = ("noatime", "nodiratime", "relatime", "norelatime", "strictatime", "lazytime")


def _everyone(export: StateEvidence) -> bool:
    return str(export.values.get("clients", "")).split(",")[0] in {"*", "0.0.0.0/0", "::/0"}


def _proven(export: StateEvidence) -> bool:
    """Whether clients prove who they are: by Kerberos alone, or by a certificate (exports(5))."""
    flavours = str(export.values.get("sec") or "sys").split(":")
    transports = str(export.values.get("xprtsec") or "none").split(":")
    return all(flavour.startswith("krb5") for flavour in flavours) or set(transports) == {"mtls"}


def _evidence(state: StateEvidence, *names: str) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, state.values.get(name), "", state.where) for name in names)


def unsafe_export(case: EvidenceSet) -> Iterator[Finding]:
    """Exports that may lose or give away data."""
    for export in case.of_kind("export"):
        yield from _loses(export)
        yield from _gives(export)


def _loses(export: StateEvidence) -> Iterator[Finding]:
    values = export.values
    if values.get("async") and not values.get("ro"):
        delay = " no_wdelay has no effect beside it." if values.get("no_wdelay") else ""
        yield Finding(
            rule="export-unsafe",
            severity="error",
            subject=export.name,
            message=f"The server answers writes to {export.name} before they are on stable storage "
            "(async): when it crashes or loses power, data that clients were told is safe is lost "
            f"without any error.{delay}",
            evidence=_evidence(export, "async", "clients"),
            remedy=f"export {export.name} with sync, then `exportfs -ra`: writes take as long as "
            "the storage does; a write-back cache with a battery makes up for it",
            confirm="measure writes with a sync after each at a client, with both options",
        )
    elif values.get("sync") and values.get("no_wdelay"):
        yield Finding(
            rule="export-unsafe",
            severity="note",
            subject=export.name,
            message=f"Each write to {export.name} waits for stable storage (sync) and not for "
            "others to go with it (no_wdelay): it is as fast as the storage's own cache; current "
            "kernels gather writes for NFS version 2 only, where others see no difference.",
            evidence=_evidence(export, "sync", "no_wdelay"),
            remedy="keep sync; a controller's write-back cache with a battery makes it fast",
            confirm="the latency of single writes with a sync after each, at a client and at the "
            "server's own file system",
        )


def _gives(export: StateEvidence) -> Iterator[Finding]:
    values = export.values
    apart = values.get("written_apart_from")
    if apart:
        yield Finding(
            rule="export-unsafe",
            severity="error",
            subject=export.name,
            message=f"A blank stands between {apart} and its options: {export.name} is exported to "
            f"the whole world with them, and to {apart} with the defaults.",
            evidence=_evidence(export, "clients"),
            remedy=f"write {apart}(…) without a blank in /etc/exports, then `exportfs -ra`",
            confirm="`exportfs -v` shows the options beside the client",
        )
    elif _everyone(export) and not values.get("ro") and values.get("rw") and not _proven(export):
        worst = bool(values.get("no_root_squash"))
        how = [name for name in ("no_root_squash", "insecure", "all_squash") if values.get(name)]
        consequence = (
            "any host that reaches the server may write as root"
            if worst
            else "any host that reaches the server may write, and all clients are one user who may "
            "change every other's files"
            if values.get("all_squash")
            else "any host that reaches the server may write as whatever user it claims"
        )
        port = ", also from programs without root's rights" if values.get("insecure") else ""
        yield Finding(
            rule="export-unsafe",
            severity="error" if worst else "warning",
            subject=export.name,
            message=f"{export.name} is exported for writing to everybody: {consequence}{port}.",
            evidence=_evidence(export, "clients", *how),
            remedy=f"name the clients' addresses or network instead of {values['clients']} in "
            "/etc/exports, then `exportfs -ra`; clients that are not named lose their mount",
            confirm="`exportfs -v` names only the clients meant",
        )


def loopback(case: EvidenceSet) -> Iterator[Finding]:
    """Mounts whose server is the host itself."""
    for mount in case.of_kind("nfs"):
        server, address = (
            str(mount.values.get("server") or ""),
            str(mount.values.get("address") or ""),
        )
        own = mount.values.get("clientaddr")
        if is_printed(mount) and not any(goes_to(trial, mount) for trial in case.trials):
            continue  # how somebody tried something out, and nothing was measured there
        if not (
            server.lower() in _LOCAL
            or any(place.startswith("127.") or place == "::1" for place in (server, address))
            or (server and server.lower() == mount.host.lower())
            or (address == own and _is_address(address))
        ):
            continue
        yield Finding(
            rule="loopback-nfs",
            severity="note",
            subject=mount.name,
            message=f"{mount.name} is mounted by NFS from the host itself: no network is in the "
            "way of what is measured there, client and server share one memory, where data may be "
            "cached twice, and kernels before 3.18 could come to a stand when it got short.",
            evidence=(Evidence("server", server or address, "", mount.where),),
            remedy="mount the exported file system itself, or bind it (`mount --bind`); where NFS "
            "is what is to be measured, use a second host",
            confirm="the same load at the exported file system and through this mount: what NFS "
            "costs, without a network",
        )


def _is_address(text: str) -> bool:
    """Whether it is an address, and not a word that an author put in the place of several."""
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def small_transfers(case: EvidenceSet) -> Iterator[Finding]:
    """Mounts that ask for little in each call."""
    for mount in case.of_kind("nfs"):
        sizes = [
            (name, size)
            for name in ("read_size", "write_size")
            if isinstance(size := mount.values.get(name), int) and 0 < size < _SMALL
        ]
        if not sizes:
            continue
        least = min(size for _, size in sizes)
        options = " and ".join("rsize" if name == "read_size" else "wsize" for name, _ in sizes)
        of_datagrams = mount.values.get("protocol") == "udp" and least == _DATAGRAM
        most = ", the most that NFS over UDP carries" if of_datagrams else ""
        yield Finding(
            rule="nfs-mount",
            severity="warning",
            subject=mount.name,
            message=f"{mount.name} moves at most {units.show_bytes(least)} in one call "
            f"({options}){most}: 1 MiB takes {_USUAL // least} calls, each with its own round trip "
            "and its own thread of the server.",
            evidence=tuple(Evidence(name, size, "B", mount.where) for name, size in sizes),
            remedy="mount it with proto=tcp, over which a call carries up to 1 MiB; needs an "
            "unmount and a mount"
            if of_datagrams
            else _larger(mount, options),
            confirm="sequential reads and writes before and after; `nfsstat -m` shows the sizes in "
            "force",
        )


def _larger(mount: StateEvidence, options: str) -> str:
    """What makes calls larger; of a list of mounts it is not known who chose the sizes."""
    agree = "so that client and server agree on the most both can (1 MiB on Linux)"
    remount = "needs an unmount and a mount"
    if "address" not in mount.values:
        return f"leave {options} out of the mount options, {agree}; {remount}"
    return (
        f"leave {options} out of the mount options, if they are among them, {agree}; if they are "
        "not, the server offers no more: /proc/fs/nfsd/max_block_size of a Linux server, which is "
        f"small where it has little memory, is set before its threads start; {remount}"
    )


def one_connection(case: EvidenceSet) -> Iterator[Finding]:
    """One connection over a link that carries more than one connection does."""
    for mount in case.of_kind("nfs"):
        if mount.values.get("connections") != 1 or mount.values.get("protocol") not in {
            "tcp",
            None,
        }:
            continue
        speeds = [
            (float(speed), link)
            for link in case.with_value("speed")
            if link.source == mount.source and link.host == mount.host and link.name in mount.below
            and isinstance(speed := link.values.get("speed"), int | float)
        ]  # fmt: skip
        if not speeds or speeds[0][0] <= _FAST:
            continue
        speed, link = speeds[0]
        yield Finding(
            rule="nfs-mount",
            severity="note",
            subject=mount.name,
            message=f"{mount.name} has one connection over a link of "
            f"{units.show_bandwidth(speed)}: one CPU on each side handles all of it.",
            evidence=(
                Evidence("connections", 1, "", mount.where),
                Evidence(f"speed of {link.name}", speed, "B/s", link.where),
            ),
            remedy="mount with nconnect=4 (at most 16; Linux 5.3 and newer), after all mounts of "
            "this server are unmounted: the first one decides",
            confirm="throughput with several jobs, with 1, 4 and 8 connections",
        )


def without_effect(case: EvidenceSet) -> Iterator[Finding]:
    """Options that an NFS mount takes but does not follow."""
    for mount in case.of_kind("nfs"):
        idle = [name for name in _ATIME if mount.values.get(name) and name != "relatime"]
        if idle:
            yield Finding(
                rule="nfs-mount",
                severity="note",
                subject=mount.name,
                message=f"{', '.join(idle)} has no effect on the NFS mount {mount.name}: access "
                "times are kept by the server, as its own file system is mounted.",
                evidence=_evidence(mount, *idle),
                remedy="set noatime where the server mounts the exported file system",
                confirm="",
            )
        if mount.values.get("soft") or mount.values.get("softerr"):
            yield Finding(
                rule="nfs-mount",
                severity="warning",
                subject=mount.name,
                message=f"{mount.name} is a soft mount: where the server is slow to answer, "
                "programs get an error in the middle of a write, which not all of them notice.",
                evidence=_evidence(mount, "soft" if mount.values.get("soft") else "softerr"),
                remedy="mount it hard, which is the default; then programs wait until the server "
                "answers again",
                confirm="",
            )


def locks_and_attributes(case: EvidenceSet) -> Iterator[Finding]:
    """Mounts whose locks are not the server's, or that keep no attributes."""
    for mount in case.of_kind("nfs"):
        values = mount.values
        version = str(values.get("version") or values.get("vers") or "")
        if values.get("nolock") and not version.startswith("4") and not values.get("ro"):
            only = "" if version else ", if it is of NFS 3 or older (NFS 4 does not follow nolock)"
            yield Finding(
                rule="nfs-mount",
                severity="note",
                subject=mount.name,
                message=f"Locks on {mount.name} hold on this client alone (nolock){only}: programs "
                "of two clients that lock one file both get the lock, and write at once.",
                evidence=_evidence(mount, "nolock"),
                remedy="leave nolock out where more than one client writes, with rpc.statd "
                "running, or mount with vers=4, whose locks are the server's",
                confirm="two clients that `flock -n` one file: the second is refused",
            )
        if values.get("noac"):
            yield Finding(
                rule="nfs-mount",
                severity="note",
                subject=mount.name,
                message=f"{mount.name} keeps no attributes and writes at once (noac, which is "
                "actimeo=0 and sync): each look at a file is a call to the server, and each write "
                "waits for it.",
                evidence=_evidence(mount, "noac"),
                remedy="leave noac out unless what runs there asks for it: programs that lock what "
                "they share see each other's writes without it",
                confirm="the same load with and without noac; `nfsstat -c` counts getattr",
            )


def retransmitted(case: EvidenceSet) -> Iterator[Finding]:
    """Calls that a client had to send again, as the client itself counted them."""
    for counters in case.counters:
        calls, again = _sent_again(counters)
        if counters.kind != "nfs" or calls < _MANY_CALLS or again <= _AGAIN * calls:
            continue
        subject = counters.name or "the NFS client"
        yield Finding(
            rule="nfs-retransmissions",
            severity="warning",
            subject=f"{subject} on {counters.host}" if counters.host else subject,
            message=f"{again:,} of {calls:,} NFS calls ({units.show_fraction(again / calls)}) were "
            "sent again: each of them waited for timeo first, so that a few are seconds of latency "
            "that no device has.",
            evidence=(
                Evidence("calls", calls, "", counters.where),
                Evidence("sent again", again, "", counters.where),
            ),
            remedy="over TCP calls are sent again when the connection broke or the server was "
            "silent for timeo: look at its threads and disks, and at errors of the links between "
            "(`ethtool -S`, `nstat -az TcpRetransSegs`); over UDP mount with proto=tcp",
            confirm="the same counters before and after a load: they must not grow",
        )


def _sent_again(counted: CounterEvidence) -> tuple[int, int]:
    """Calls of a client, and how many of them it sent again (nfsstat; mountstats per operation)."""
    rpc, operations = (counted.values.get(name) for name in ("rpc", "operations"))
    if isinstance(rpc, dict) and isinstance(rpc.get("retransmissions"), int):
        return _whole(rpc.get("calls")), _whole(rpc["retransmissions"])
    each = (
        [operation for operation in operations.values() if isinstance(operation, dict)]
        if isinstance(operations, dict)
        else []
    )
    sent = [operation for operation in each if "transmissions" in operation]
    calls = sum(_whole(operation.get("operations")) for operation in sent)
    return calls, max(sum(_whole(operation["transmissions"]) for operation in sent) - calls, 0)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def refused_options(case: EvidenceSet) -> Iterator[Finding]:
    """Options of a client's mount in an entry of /etc/exports."""
    for export in case.of_kind("export"):
        if options := export.values.get("options_of_mounts"):
            yield Finding(
                rule="export-refused",
                severity="error",
                subject=export.name,
                message=f"{options}: options of a client's mount. exportfs says “unknown keyword” "
                f"and does not export {export.name}.",
                evidence=_evidence(export, "options_of_mounts", "clients"),
                remedy=f"take {options} out of /etc/exports and give them to mount on the client, "
                "then `exportfs -ra`",
                confirm="`exportfs -v` lists it",
            )


_MAN = "nfs(5) of nfs-utils 2.6.2"
RULES: tuple[Rule, ...] = (
    Rule("nfs-retransmissions", "nfs", "More than 1 % of an NFS client's calls had to be sent "
         "again.", "nfs(5), timeo and retrans; nfsstat(8); net/sunrpc/stats.c", retransmitted),
    Rule("export-unsafe", "export", "An export may lose data, or lets everybody write.",
         "exports(5) of nfs-utils 2.6.2; Linux fs/nfsd/vfs.c, nfsd_vfs_write()", unsafe_export),
    Rule("export-refused", "export", "Options of a mount stand in /etc/exports.",
         "nfs-utils 2.6.2, support/nfs/exports.c, parseopts()", refused_options),
    Rule("loopback-nfs", "nfs", "A host mounts its own export by NFS.",
         "Linux fs/nfsd/vfs.c, nfsd_vfs_write(): PF_LOCAL_THROTTLE; Brown, “Loopback NFS: theory "
         "and practice”, LWN 2014", loopback),
    Rule("nfs-mount", "nfs", "A mount moves little in each call.", _MAN, small_transfers),
    Rule("nfs-mount", "nfs, link", "One connection over a fast link.", _MAN, one_connection),
    Rule("nfs-mount", "nfs", "Options that have no effect, or risk data.", _MAN, without_effect),
    Rule("nfs-mount", "nfs", "Locks that hold on one client, and attributes that are not kept.",
         f"{_MAN}, nolock and noac", locks_and_attributes),
)  # fmt: skip
