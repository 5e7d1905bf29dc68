"""What one NFS call carries, against the requests it carries.

Source: nfs(5), rsize and wsize.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._requests import goes_to, has_direction, request_size, whole_number
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_PAGE = 4 * units.KIB
_SMALL_CALL = 64 * units.KIB


def nfs_calls(case: EvidenceSet) -> Iterator[Finding]:
    """NFS: transfers that are no whole pages, and requests that need several calls."""
    for mount in case.of_kind("nfs", "nfs4"):
        for name, option, verb in (
            ("read_size", "rsize", "read"),
            ("write_size", "wsize", "write"),
        ):
            size = whole_number(mount.values.get(name, mount.values.get(option)))
            if not size:
                continue
            if size % _PAGE:
                yield _odd_call(mount, option, size)
            for trial in case.trials:
                bs = request_size(trial)
                if size < _SMALL_CALL or bs <= size or not has_direction(trial, verb):
                    continue
                if trial.options.get("direct") is not True:
                    continue  # the page cache takes it, and asks and writes in pieces of its own
                if goes_to(trial, mount):
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


RULES: tuple[Rule, ...] = (
    Rule("frame-block", "nfs", "NFS calls that move no whole pages, or less than a request.",
         "nfs(5), rsize and wsize", nfs_calls),
)  # fmt: skip
