"""Arrays under a load: what a write costs on them, and what else they are busy with.

Source:
    Linux drivers/md/raid5.c, handle_stripe_dirtying(): what a write does not fill of a stripe is
    made up for by reading (read-modify-write or reconstruct-write); its Documentation,
    admin-guide/md.rst (stripe_cache_size); Patterson, Gibson, Katz, "A case
    for redundant arrays of inexpensive disks" (1988).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from iosonde import units
from iosonde.layers._raid.arrays import Array, ArrayLoad, CaseArrays, WriteCost, write_cost
from iosonde.layers._raid.geometry import MIRRORED, PARITY
from iosonde.records.evidence import (
    EvidenceSet,
    Rule,
    StateEvidence,
    TrialEvidence,
    called,
    is_printed,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_PAGE = 4 * units.KIB
_SEVERAL = 6  # geometries that are listed


def written_parity(case: EvidenceSet) -> Iterator[tuple[TrialEvidence, ArrayLoad, Array]]:
    """Trials that wrote, and the parity arrays under them."""
    case_arrays = CaseArrays(case)
    for trial in case.trials if any(array.parity for array in case_arrays.arrays) else ():
        load = case_arrays.load(trial)
        if load.writes:
            yield from ((trial, load, array) for array in case_arrays.under(trial) if array.parity)


def partial_stripes(case: EvidenceSet) -> Iterator[Finding]:
    """Writes that do not fill whole stripes, and what making up for that costs the drives."""
    groups: dict[tuple[object, ...], list[tuple[TrialEvidence, ArrayLoad, Array, WriteCost]]] = {}
    for trial, load, array in written_parity(case):
        if not load.block or not array.chunk or not array.data or array.spanned:
            continue
        if load.direct is False and not load.random:
            continue  # the page cache puts neighbours together
        cost = write_cost(load.block, array.chunk, array.data, array.parity)
        if cost is None or not cost.read:
            continue
        key = (array.source, array.kind, array.name, array.level, array.data, load.block,
               load.random, load.reads)  # fmt: skip
        groups.setdefault(key, []).append((trial, load, array, cost))
    for group in groups.values():
        yield _partial(group)


def _partial(group: Sequence[tuple[TrialEvidence, ArrayLoad, Array, WriteCost]]) -> Finding:
    _, load, array, _ = group[0]
    block = load.block or 0
    each = {array.chunk or 0: (array, cost) for _, _, array, cost in group}
    costs = [(array.chunk or 0, cost) for array, cost in each.values()]
    evidence = [Evidence("block size of the load", block, "B", load.where)]
    for chunk, (member, cost) in list(each.items())[:_SEVERAL]:
        at = f" at a {member.strip} of {units.show_bytes(chunk)}" if len(each) > 1 else ""
        evidence += [
            Evidence(f"full stripe{at}", member.stripe, "B", member.where),
            Evidence(f"read by the drives for each write{at}", round(cost.read), "B", "computed"),
        ]
    evidence += _work(group[0][0], load, array) if len(group) == 1 else ()
    return Finding(
        rule="raid-penalty",
        severity="warning" if load.random and block > _PAGE * (array.data or 1) else "note",
        subject=array.subject if len({array.host for array, _ in each.values()}) == 1 and len(
            {array.host for _, _, array, _ in group}) == 1 else array.name or array.called,
        message=_says(load, array, costs),
        evidence=tuple(evidence),
        remedy=_fitting(block, array),
        confirm="reads at the drives while the load only writes (iostat -x, or the controller's "
        "own counters): with whole stripes there are none",
    )  # fmt: skip


def _says(load: ArrayLoad, array: Array, costs: Sequence[tuple[int, WriteCost]]) -> str:
    block, data = load.block or 0, array.data or 1
    kind = {True: "Random writes", False: "Writes one after the other", None: "Writes"}[load.random]
    gathered = "" if load.random else ", unless a cache gathers neighbours into whole stripes"
    stripes = " or ".join(units.show_bytes(chunk * data) for chunk, _ in costs[:_SEVERAL])
    ideal = (data + array.parity) / data
    worst = max((cost.read + cost.written) / block for _, cost in costs)
    if block <= min(chunk for chunk, _ in costs) and load.random is not False:
        reads, writes = min(1 + array.parity, data - 1), 1 + array.parity
        return (
            f"{kind} of {units.show_bytes(block)} on {array.called} cost its drives {reads} reads "
            f"and {writes} writes each, because a stripe holds {stripes}: old data and parity are "
            f"read before the new can be written{gathered}."
        )
    most = max(cost.whole for _, cost in costs)
    filled = (
        f"{'at most' if len(costs) > 1 else 'only'} {units.show_fraction(most)} of their bytes "
        "fill whole stripes"
        if most
        else "none of them fills a stripe"
    )
    return (
        f"{kind} of {units.show_bytes(block)} are no multiple of the stripe of {array.called}, "
        f"{stripes}: {filled}, and each byte written makes the drives move up to {worst:.2f}, "
        f"where whole stripes take {ideal:.2f}{gathered}."
    )


def _work(trial: TrialEvidence, load: ArrayLoad, array: Array) -> Iterator[Evidence]:
    """Host IOPS as the drives see them, where a small random load tells its mix."""
    penalty, chunk = array.penalty, array.chunk
    if not load.random or not penalty or not chunk or (load.block or chunk) > chunk:
        return
    reads, writes = trial.mean("read.iops") or 0.0, trial.mean("write.iops")
    if not writes or load.direct is False:
        return
    work = reads + writes * penalty
    yield Evidence(f"I/Os of the drives: reads + {penalty} × writes", work, "1/s", "computed")
    if array.disks:
        yield Evidence(f"of each of {array.disks} drives", work / array.disks, "1/s", "computed")


def _fitting(block: int, array: Array) -> str:
    """The geometry in which a block of this size would be one whole stripe."""
    data = 1 << ((array.data or 1).bit_length() - 1)
    strip = block // data
    another = "RAID 10 has no stripes to fill; both mean to build the array anew, data and all"
    if block % data or strip < _PAGE or strip & (strip - 1):
        return f"Writes that are a multiple of the stripe and begin on one. {another}."
    same = "the" if data == array.data else f"{data} instead of {array.data}"
    return (
        f"With {same} data disks and a {array.strip} of {units.show_bytes(strip)} a write of "
        f"{units.show_bytes(block)} is one whole stripe, if what lies on the array begins on one. "
        f"{another}."
    )


def reads_of_lost(level: str, what: str, others: str) -> str:
    """Where the reads of a lost member go: parity is computed, a mirror has another copy.

    Args:
        level: as md or LVM spells it ("raid5", "raid6_zr", "mirror"); of another, nothing is said.
        what: the reads.
        others: what is left, by the words of the technology.
    """
    base = level.lower().partition("_")[0]
    if base in PARITY:
        return f"{what} are computed from {others}"
    return f"{what} go to a copy that is left" if base in {*MIRRORED, "mirror"} else ""


_WORK = {
    "resync": "makes its members alike", "recover": "rebuilds a member",
    "reshape": "spreads its data anew", "check": "compares its members",
    "repair": "compares and mends its members",
}  # fmt: skip


def busy(
    case: EvidenceSet,
    state: StateEvidence,
    action: str,
    share: Scalar,
    *,
    done: str,
    remedy: str,
    confirm: str,
) -> Finding:
    """An array that works for itself: a note where a text measures nothing meanwhile.

    Args:
        case: that it is of.
        state: of it.
        action: by sysfs' word, `sync_action`.
        share: of the work that is done, or of the array in sync; None where it is not known.
        done: what `share` is called.
        remedy: how to slow it down.
        confirm: what shows that it is over.
    """
    word = "recovery" if action == "recover" else action
    work = f"{_WORK[action]} ({word})" if action in _WORK else f"is busy with {action}"
    is_share = isinstance(share, int | float) and not isinstance(share, bool)
    return Finding(
        rule="background-work",
        severity=severity_of_work(case, state),
        subject=subject_of(state),
        message=f"{called(state)} {work}, which takes bandwidth from whatever is measured "
        "meanwhile.",
        evidence=(Evidence(done, share, "fraction", state.where),)
        if is_share
        else (Evidence("sync_action", action, "", state.where),),
        remedy=f"measure when it is done; {remedy}, and leaves it longer without redundancy",
        confirm=f"the same trial when {confirm}",
    )


def severity_of_work(case: EvidenceSet, state: StateEvidence) -> Literal["warning", "note"]:
    """How much it matters that an array works for itself: little where nothing was measured."""
    measured = any(trial.source == state.source for trial in case.trials)
    return "warning" if measured or not is_printed(state) else "note"


_UNALIKE = "there is no redundancy for what is not yet alike"
_UNTIL = {
    "check": "it takes bandwidth from all else, and what is not yet read may hold errors unseen",
    "reshape": "it takes bandwidth from all else, and the array keeps its old size",
}


def stands_still(
    state: StateEvidence,
    said: str,
    what: str,
    value: str | float | None,
    remedy: str,
    *,
    unit: str = "",
) -> Finding:
    """A resync that does not go on.

    Args:
        state: of the array or replica.
        said: why.
        what: the fact that tells it.
        value: of the fact.
        remedy: what makes it go on.
        unit: of the value.
    """
    action = str(state.values.get("sync_action"))
    shown = units.show(float(value), unit) if unit and isinstance(value, int | float) else value
    return Finding(
        rule="resync-stuck",
        severity="warning",
        subject=subject_of(state),
        message=f"{said}: until it is done {_UNTIL.get(action, _UNALIKE)}.",
        evidence=(Evidence(what.replace("_", " "), shown, "", state.where),),
        remedy=remedy,
        confirm="a share in sync that grows (/proc/mdstat, `drbdadm status`)",
    )


RULES: tuple[Rule, ...] = (
    Rule("raid-penalty", "md, lvm, hwraid", "Writes that do not fill whole stripes of a parity "
         "array, and what that costs its drives.", "Linux drivers/md/raid5.c; Documentation/"
         "admin-guide/md.rst; Patterson, Gibson, Katz 1988",
         partial_stripes),
)  # fmt: skip
