"""Rules about pools of ZFS: states, errors, block sizes and room.

Source:
    zpoolconcepts(7) (states of pools and devices; a device that is DEGRADED has more errors or slow
    I/Os than is acceptable, and ZFS goes on using it), zpool-status(8); OpenZFS messages
    ZFS-8000-2Q, -4J, -8A, -9P and -CP; zfs(4), metaslab_df_free_pct; zpoolprops(7), ashift.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.layers._backing import where_to_look
from iosonde.layers.zfs.counts import counts_evidence, shown_count
from iosonde.layers.zfs.facts import GROUP
from iosonde.layers.zfs.findings_cleared import is_cleared, is_scrubbed
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_FULL = 0.96
_DOWN = {
    "FAULTED": "is faulted and cannot be used",
    "UNAVAIL": "cannot be opened",
}
_TOO_FEW = "lacks more devices than its redundancy makes up for"
"""How a root vdev is down whose pool is open, and suspended."""
_DATED = re.compile(r"\b(?:19|20)\d\d\b")
_APART = frozenset({"spares", "spare", "cache"})
"""What of a pool holds no data that is nowhere else, and does not degrade it."""


def _pools(case: EvidenceSet) -> Iterator[Finding]:
    reported: set[tuple[str, str, bool]] = set()
    for pool in case.latest("zpool", "state"):
        devices = _devices(case, pool)
        gone = [device for device in devices if _is_gone(device)]
        suspect = [device for device in devices if device.values.get("state") == "DEGRADED"]
        lost = any(device.values.get("state") != "OFFLINE" for device in gone)
        state = _state(pool)
        if state != "DEGRADED" and state not in _DOWN and not (state == "ONLINE" and lost):
            continue
        if _is_online_elsewhere(case, pool):
            continue
        is_suspected = state == "DEGRADED" and not gone and bool(suspect)
        key = pool.host, pool.name, is_suspected
        if key not in reported:
            reported.add(key)
            yield (
                _suspected(case, pool, suspect)
                if is_suspected
                else _degraded(case, pool, gone, suspect)
            )


def _is_online_elsewhere(case: EvidenceSet, pool: StateEvidence) -> bool:
    """Whether the same text shows the pool whole on another host later, which imported it.

    It is the same where it was resilvered or scrubbed last at the same time.
    """
    scan = str(pool.values.get("scan") or "")
    states = [*case.of_kind("zpool")]
    after = states[states.index(pool) + 1 :] if _DATED.search(scan) else ()
    return any(
        other.source == pool.source and other.host != pool.host and other.name == pool.name
        and other.values.get("scan") == scan and other.values.get("state") == "ONLINE"
        for other in after
    )  # fmt: skip


def _state(pool: StateEvidence) -> str:
    """The pool's state; of a suspended one, that of its root vdev, if it is known."""
    state = str(pool.values.get("state"))
    return str(pool.values.get("root_state")) if state == "SUSPENDED" else state


def _devices(case: EvidenceSet, pool: StateEvidence) -> list[StateEvidence]:
    """The devices that the same output lists and that hold the pool's data or its log."""
    return [
        device for device in case.of_kind("zpool_device")
        if device.values.get("pool") == pool.name
        and (device.source, device.host, device.where) == (pool.source, pool.host, pool.where)
        and not _is_group(device) and device.values.get("use") not in _APART
    ]  # fmt: skip


def _is_group(device: StateEvidence) -> bool:
    return bool(device.values.get("group")) or GROUP.search(device.name) is not None


def _is_gone(device: StateEvidence) -> bool:
    """Whether ZFS does not use it: one that is DEGRADED has errors or is slow, and goes on."""
    return device.values.get("state") in {"OFFLINE", "REMOVED", "SUSPENDED", *_DOWN}


def _degraded(
    case: EvidenceSet,
    pool: StateEvidence,
    gone: Sequence[StateEvidence],
    suspect: Sequence[StateEvidence],
) -> Finding:
    """A pool that does not have all of its devices, or whose table does not say why."""
    state = _state(pool)
    called = "is called ONLINE, but lacks a device" if state == "ONLINE" else "is degraded"
    how = _DOWN.get(state, f"{called}: it runs with less redundancy{_reads(case, pool, gone)}")
    if state in _DOWN and pool.values.get("state") == "SUSPENDED":
        how = _TOO_FEW
    bad = ", ".join(map(_with_state, (*gone, *suspect)))
    return Finding(
        "degraded", "error", subject_of(pool),
        f"The pool {pool.name} {how}" + (f"; not whole: {bad}." if bad else "."),
        pool.evidence("state", "root_state", "scan"),
        "`zpool status -v` names the device; `zpool replace` it, or `zpool online` it where it "
        "was only away",
        "the state is ONLINE after the resilver; then the same trial",
    )  # fmt: skip


def _suspected(case: EvidenceSet, pool: StateEvidence, suspect: Sequence[StateEvidence]) -> Finding:
    """A pool all of whose devices are there, of which ZFS calls some degraded."""
    names = ", ".join(dict.fromkeys(device.name for device in suspect))
    which = ", ".join(map(_with_state, suspect))
    return Finding(
        "degraded", "error", subject_of(pool),
        f"The pool {pool.name} is degraded, though no device is missing: ZFS counted too many "
        f"errors or slow I/Os of {which} and goes on using what it so marked.",
        (*pool.evidence("state", "scan"),
         *(part for device in suspect for part in device.evidence("note"))),
        f"{where_to_look(case, suspect[0], suspect[0].name)}; then `zpool clear {pool.name} DEVICE`"
        f" where the cause is mended, or `zpool replace` it while it still answers ({names})",
        "the state is ONLINE, and stays so through a scrub",
    )  # fmt: skip


def _with_state(device: StateEvidence) -> str:
    note = device.values.get("note")
    return f"{device.name} ({device.values.get('state')}{f', {note}' if note else ''})"


def _reads(case: EvidenceSet, pool: StateEvidence, gone: Sequence[StateEvidence]) -> str:
    """Where reads go of what lies on vdevs that are not whole, as far as the pool's tree says."""
    vdevs = {str(device.values["part_of"]) for device in gone if "part_of" in device.values} or {
        device.name for device in case.of_kind("zpool_device")
        if device.values.get("pool") == pool.name
        and (device.source, device.host, device.where) == (pool.source, pool.host, pool.where)
        and _is_group(device) and device.values.get("state") == "DEGRADED"
    }  # fmt: skip
    ways = [
        f"reads of what is missing {how}"
        for kinds, how in (
            (("raidz", "draid"), "are computed from parity"),
            (("mirror",), "go to the other side of the mirror"),
        )
        if any(name.startswith(kinds) for name in vdevs)
    ]
    return "".join(f", and {way}" for way in ways)


def _checksums(case: EvidenceSet) -> Iterator[Finding]:
    for device in case.of_kind("zpool_device"):
        is_member = not device.values.get("group")
        if device.number("checksum_errors") and is_member and not is_cleared(case, device):
            yield Finding(
                "checksum-errors", "error", subject_of(device),
                f"{device.name} returned data whose checksum is wrong, "
                f"{shown_count(device, 'checksum_errors')} times since the "
                "counters were cleared: the device, the way to it or memory changes data.",
                counts_evidence(device, "checksum_errors", "read_errors", "write_errors", "state"),
                f"{where_to_look(case, device, device.name)}, and at memory where several devices "
                "have them; `zpool scrub`, and replace what goes on counting",
                "`zpool clear`, `zpool scrub`, and CKSUM stays 0",
            )  # fmt: skip


def _errors(case: EvidenceSet) -> Iterator[Finding]:
    for device in case.of_kind("zpool_device"):
        reads, writes = device.number("read_errors"), device.number("write_errors")
        is_member = not device.values.get("group")
        if (reads or writes) and is_member and not is_cleared(case, device):
            yield Finding(
                "io-errors", "error", subject_of(device),
                f"Requests of ZFS to {device.name} ended with errors: "
                f"{shown_count(device, 'read_errors')} reads and "
                f"{shown_count(device, 'write_errors')} writes since the counters were cleared.",
                counts_evidence(device, "read_errors", "write_errors", "state"),
                f"read the kernel's log of that time; {where_to_look(case, device, device.name)}",
                "`zpool clear`, `zpool scrub`, and READ and WRITE stay 0",
            )  # fmt: skip


def _damaged(case: EvidenceSet) -> Iterator[Finding]:
    for pool in case.of_kind("zpool"):
        if (count := pool.number("data_errors")) and not is_scrubbed(case, pool, pool.name):
            yield Finding(
                "damaged-files", "error", subject_of(pool),
                f"{pool.name} has {count:,} data error{'s' * (count > 1)}: files or metadata of "
                "which no good copy is left.",
                pool.evidence("data_errors", "scan"),
                "`zpool status -v` names the files: restore them, then `zpool scrub`",
                "“No known data errors” after the scrub",
            )  # fmt: skip


def _block_sizes(case: EvidenceSet) -> Iterator[Finding]:
    for device in case.of_kind("zpool_device"):
        size, native = device.number("block_size"), device.number("physical_block_size")
        if size and native > size:
            yield Finding(
                "misaligned", "warning", subject_of(device),
                f"{device.values.get('pool')} writes blocks of {units.show_bytes(size)} to "
                f"{device.name}, whose own are {units.show_bytes(native)}: the drive reads, "
                "changes and writes back for each.",
                device.evidence("block_size", "physical_block_size"),
                "a vdev keeps its ashift for life: replace the device by one with such blocks, or "
                "make the pool anew with -o ashift=12",
                "random writes at depth 1 to a pool of both kinds",
            )  # fmt: skip


def _full(case: EvidenceSet) -> Iterator[Finding]:
    for pool in case.of_kind("zpool"):
        share = pool.number("full")
        if share >= _FULL:
            yield Finding(
                "out-of-space", "warning", subject_of(pool),
                f"The pool {pool.name} is {units.show_fraction(share)} full: with less than 4 % "
                "free in a metaslab ZFS looks for the best fit for every block, and writes become "
                "slow.",
                pool.evidence("full", "free", "fragmentation"),
                "free or add space; what is measured on it now is not what it does with room",
                "the same writes with a tenth of the pool free",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "zfs", "A pool that is degraded or faulted.",
         "zpoolconcepts(7), Device Failure and Recovery", _pools, stage="redundancy"),
    Rule("checksum-errors", "zfs", "A device that returned data with wrong checksums.",
         "zpoolconcepts(7); OpenZFS message ZFS-8000-9P", _checksums),
    Rule("io-errors", "zfs", "A device whose reads or writes failed.",
         "zpoolconcepts(7); OpenZFS message ZFS-8000-9P", _errors, stage="requests"),
    Rule("damaged-files", "zfs", "A pool with data that it cannot repair.",
         "OpenZFS message ZFS-8000-8A", _damaged, stage="data"),
    Rule("misaligned", "zfs", "A device with larger blocks than its pool writes.",
         "zpoolprops(7), ashift; OpenZFS cmd/zpool/zpool_main.c (print_status_config)",
         _block_sizes),
    Rule("out-of-space", "zfs", "A pool that is 96 % full.", "zfs(4), metaslab_df_free_pct", _full,
         stage="waiting"),
)  # fmt: skip
