"""What one frame, call or command carries, against the blocks of what it carries them for.

Source:
    AoE: Linux drivers/block/aoe/aoecmd.c, aoecmd_cfg_rsp().
    NFS: nfs(5), rsize and wsize.
    iSCSI: RFC 7143, 13.10 to 13.14 (InitialR2T, ImmediateData, MaxBurstLength, FirstBurstLength).
    NVMe-oF: NVM Express over Fabrics 1.1 (IOCCSZ, in-capsule data); NVMe TCP transport (R2T);
    Linux drivers/nvme/target/configfs.c, param_inline_data_size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde import units
from iosonde.layers.aoe.facts import aoe_frame_payload, aoe_least_mtu
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_PAGE = 4 * units.KIB
_REQUEST = 64 * units.KIB
"""A request of usual size, to count frames by."""
_LARGEST_BLOCK = 64 * units.KIB
_SMALL_CALL = 64 * units.KIB
_ISCSI = ("iscsi", "iscsi_initiator", "iscsi_target", "iser")
_FABRICS = ("nvmeof", "nvmeof_initiator", "nvmeof_target", "nvme")


# ── AoE ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Grid:
    """The blocks that requests should keep to: of a cache, a file system, a disk."""

    size: int
    whose: str
    where: str


def aoe_frames(case: EvidenceSet) -> Iterator[Finding]:
    """AoE frames that cut blocks in two."""
    for source in sorted(_over_aoe(case)):
        grid = _grid(case, source)
        for mtu, links in _mtus(case, source).items():
            payload = aoe_frame_payload(mtu)
            if payload % grid.size == 0:
                continue
            names = ", ".join(dict.fromkeys(_called(link) for link in links))
            frames = -(-_REQUEST // payload)
            cut = sum(payload * frame % grid.size != 0 for frame in range(1, frames))
            whole, rest = divmod(payload, grid.size)
            size = units.show_bytes(grid.size)
            holds = (
                f"{whole} block{'s' * (whole > 1)} of {size} and {rest} bytes"
                if whole
                else f"a part of a block of {size}"
            )
            yield Finding(
                "frame-block", "warning", names,
                f"An AoE frame over {names} at MTU {mtu} carries {payload:,} bytes, {holds}: a "
                f"request of {units.show_bytes(_REQUEST)} goes as {frames} frames, and "
                f"{_part(cut, frames - 1)} borders between them cut a block in two, which the "
                "other side reads and writes in pieces.",
                (
                    Evidence("MTU", mtu, "B", links[0].where),
                    Evidence("payload of an AoE frame", payload, "B", "computed"),
                    Evidence(f"block of {grid.whose}", grid.size, "B", grid.where),
                    Evidence("borders that cut a block", cut, "", "computed"),
                ),
                _mtu_for(max(whole, 1) * grid.size),
                "the aoe driver logs `setting N byte data frames on INTERFACE`; the sizes of "
                "requests on the target's disk (blktrace, or flashcache's histogram) before and "
                "after",
            )  # fmt: skip


def _called(link: StateEvidence) -> str:
    return f"{link.name} on {link.host}" if link.host else link.name


def _part(some: int, of: int) -> str:
    return f"all {of}" if some == of else f"{some} of the {of}"


def _mtu_for(size: int) -> str:
    low, high = aoe_least_mtu(size), aoe_least_mtu(size + units.SECTOR) - 1
    return (
        f"an MTU of {low}–{high} on both ends and every port between, so that a frame carries "
        f"{units.show_bytes(size)}; setting it interrupts the link, and a port that was left out "
        "drops every full frame"
    )


def _over_aoe(case: EvidenceSet) -> set[str]:
    """The sources in which something goes over AoE."""
    named = {
        state.source
        for state in case.states
        if state.kind.startswith("aoe")
        or state.name.startswith("etherd/")
        or any(str(value).startswith("/dev/etherd/") for value in state.values.values())
    }
    return named | {
        trial.source for trial in case.trials if trial.target.startswith("/dev/etherd/")
    }


def _mtus(case: EvidenceSet, source: str) -> dict[int, list[StateEvidence]]:
    """The links that AoE may use by their MTU: those it names, else all but loopback."""
    aoe = [
        state for state in case.states if state.source == source and state.kind.startswith("aoe")
    ]
    used = {str(state.values["interface"]) for state in aoe if state.values.get("interface")}
    by_mtu: dict[int, list[StateEvidence]] = {}
    for state in (*aoe, *case.of_kind("link")):
        mtu = state.values.get("mtu")
        if state.source != source or not isinstance(mtu, int) or state.values.get("loopback"):
            continue
        if state.kind == "link" and used and state.name not in used:
            continue
        by_mtu.setdefault(mtu, []).append(state)
    return by_mtu


def _grid(case: EvidenceSet, source: str) -> _Grid:
    """The largest block of what is known to lie on it; a page where nothing is."""
    best = _Grid(_PAGE, "most file systems", "as is usual")
    for state in case.states:
        size = state.values.get("block_size", state.values.get("physical_block_size"))
        if state.source != source or not isinstance(size, int) or state.kind in {"dm_cache", "dm"}:
            continue
        if best.size < size <= _LARGEST_BLOCK or (
            size == best.size and best.where == "as is usual"
        ):
            best = _Grid(size, f"{state.kind} {state.name}".strip(), state.where)
    return best


# ── NFS, iSCSI, NVMe-oF ───────────────────────────────────────────────────────────────────────


def nfs_calls(case: EvidenceSet) -> Iterator[Finding]:
    """NFS: transfers that are no whole pages, and requests that need several calls."""
    for mount in case.of_kind("nfs", "nfs4"):
        for name, option, verb in (
            ("read_size", "rsize", "read"),
            ("write_size", "wsize", "write"),
        ):
            size = _whole(mount.values.get(name, mount.values.get(option)))
            if not size:
                continue
            if size % _PAGE:
                yield _odd_call(mount, option, size)
            for trial in case.trials:
                bs = _block_of(trial)
                if size >= _SMALL_CALL and bs > size and _on(trial, mount) and _does(trial, verb):
                    yield _many_calls(mount, trial, option, size, bs)


def _odd_call(mount: StateEvidence, option: str, size: int) -> Finding:
    below = size // _PAGE * _PAGE or _PAGE
    return Finding(
        "frame-block", "warning", mount.name,
        f"{mount.name} moves at most {size:,} bytes in a call ({option}), which is no multiple of "
        "4 KiB: every page at a border is moved in two calls.",
        (Evidence(option, size, "B", mount.where),),
        f"{option}={units.MIB} and mount again (the server may agree on less, but on whole pages), "
        f"or {option}={below}",
        f"`nfsstat -m` for what was agreed on, and the calls per {units.show_bytes(units.MIB)} in "
        "/proc/self/mountstats",
    )  # fmt: skip


def _many_calls(
    mount: StateEvidence, trial: TrialEvidence, option: str, size: int, bs: int
) -> Finding:
    calls = -(-bs // size)
    return Finding(
        "frame-block", "note", trial.label,
        f"Each request of {units.show_bytes(bs)} to {mount.name} goes as {calls} calls of at most "
        f"{units.show_bytes(size)} ({option}): its latency is that of the slowest of them.",
        (
            Evidence("block size of the load", bs, "B", trial.where),
            Evidence(option, size, "B", mount.where),
            Evidence("calls per request", calls, "", "computed"),
        ),
        f"{option}={min(bs, units.MIB)} at the mount, as far as the server agrees (`nfsstat -m`); "
        "nconnect lets the calls go over several connections",
        "the same load with both sizes, and its calls in /proc/self/mountstats",
    )  # fmt: skip


def iscsi_rounds(case: EvidenceSet) -> Iterator[Finding]:
    """iSCSI: writes that wait for the target to ask for their data."""
    for session in case.of_kind(*_ISCSI):
        burst = _named(session, "maxburstlength")
        first = _named(session, "firstburstlength")
        immediate = _named(session, "immediatedata")
        waits = _named(session, "initialr2t") is not False
        for trial in case.trials:
            bs = _block_of(trial)
            if not bs or not _on(trial, session) or not _does(trial, "write"):
                continue
            sent = _unasked(first, immediate, waits)
            if isinstance(burst, int) and burst > 0 and bs > burst:
                yield _rounds(session, trial, bs, burst)
            elif sent is not None and bs > sent:
                yield _asked_for(session, trial, bs, sent)


def _unasked(first: object, immediate: object, waits: bool) -> int | None:
    """Bytes of a write that go without being asked for; None where unknown."""
    if immediate is False and waits:
        return 0
    return first if isinstance(first, int) and not isinstance(first, bool) else None


def _rounds(session: StateEvidence, trial: TrialEvidence, bs: int, burst: int) -> Finding:
    count = -(-bs // burst)
    return Finding(
        "frame-block", "note", trial.label,
        f"Each write of {units.show_bytes(bs)} over {session.name} takes {count} bursts of at most "
        f"{units.show_bytes(burst)} (MaxBurstLength), for each of which the target must ask.",
        (
            Evidence("block size of the load", bs, "B", trial.where),
            Evidence("MaxBurstLength", burst, "B", session.where),
            Evidence("bursts of a write", count, "", "computed"),
        ),
        "node.session.iscsi.MaxBurstLength of at least the request (up to 16776192) at both ends, "
        "then log in again: the session is interrupted, and the target needs as much memory",
        "the same load with both values",
    )  # fmt: skip


def _asked_for(session: StateEvidence, trial: TrialEvidence, bs: int, sent: int) -> Finding:
    part = f"after its first {units.show_bytes(sent)}" if sent else "before any of its data go"
    return Finding(
        "frame-block", "note", trial.label,
        f"Each write of {units.show_bytes(bs)} over {session.name} waits for the target's R2T "
        f"{part}: one more round trip in its latency.",
        (
            Evidence("block size of the load", bs, "B", trial.where),
            Evidence("sent without being asked for", sent, "B", session.where),
        ),
        "ImmediateData=Yes, InitialR2T=No and a FirstBurstLength of at least the request at both "
        "ends, then log in again: the session is interrupted",
        "the latency of single writes with both settings",
    )  # fmt: skip


def fabric_capsules(case: EvidenceSet) -> Iterator[Finding]:
    """NVMe-oF: writes whose data do not fit into the command's capsule."""
    for state in case.of_kind(*_FABRICS):
        capsule = _named(state, "incapsuledatasize", "inlinedatasize")
        if not isinstance(capsule, int) or isinstance(capsule, bool):
            continue
        for trial in case.trials:
            bs = _block_of(trial)
            if bs <= capsule or not _on(trial, state) or not _does(trial, "write"):
                continue
            yield Finding(
                "frame-block", "note", trial.label,
                f"A write of {units.show_bytes(bs)} to {state.name} does not fit into its command "
                f"({units.show_bytes(capsule)} of data in a capsule): the target fetches it, one "
                "more round trip in its latency.",
                (
                    Evidence("block size of the load", bs, "B", trial.where),
                    Evidence("data in a capsule", capsule, "B", state.where),
                ),
                "a larger inline data size at the target's port (nvmet: "
                "ports/N/param_inline_data_size, before the port is enabled; SPDK: in-capsule data "
                "size of the transport); it takes that much memory for each queue entry",
                "the latency of single writes of both sizes",
            )  # fmt: skip


def _named(state: StateEvidence, *names: str) -> int | bool | str | None:
    """A value by its letters alone: MaxBurstLength or max_burst_length."""
    for name, value in state.values.items():
        if name.replace("_", "").replace("-", "").lower() in names and value is not None:
            if isinstance(value, str):
                flags = {"yes": True, "no": False}
                return flags.get(value.lower(), _whole(value))
            return None if isinstance(value, float) else value
    return None


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _block_of(trial: TrialEvidence) -> int:
    """Bytes of a load's request; 0 where unknown."""
    return _whole(trial.options.get("bs")) or 0


def _does(trial: TrialEvidence, verb: str) -> bool:
    return any(name.startswith(f"{verb}.") or verb in name for name in trial.metrics)


def _on(trial: TrialEvidence, state: StateEvidence) -> bool:
    """Whether a load goes to a mount or device: by the stack below it, else by its target."""
    if trial.source != state.source or (state.host and trial.host not in {"", state.host}):
        return False
    names = {state.name, state.values.get("device"), f"/dev/{state.name}"}
    if any(kind == state.kind and device in names for kind, device in trial.stands_on):
        return True
    return bool(state.name) and (
        trial.target in names
        or (state.name.startswith("/") and f"{trial.target}/".startswith(f"{state.name}/"))
    )


RULES: tuple[Rule, ...] = (
    Rule("frame-block", "aoe, link", "AoE frames that cut blocks in two.",
         "Linux drivers/block/aoe/aoecmd.c, aoecmd_cfg_rsp()", aoe_frames),
    Rule("frame-block", "nfs", "NFS calls that move no whole pages, or less than a request.",
         "nfs(5), rsize and wsize", nfs_calls),
    Rule("frame-block", "iscsi", "iSCSI writes that wait for the target to ask for their data.",
         "RFC 7143, 13.10 to 13.14", iscsi_rounds),
    Rule("frame-block", "nvmeof", "NVMe-oF writes that do not fit into their command's capsule.",
         "NVM Express over Fabrics 1.1; NVMe TCP transport specification", fabric_capsules),
)  # fmt: skip
