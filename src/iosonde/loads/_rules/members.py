"""A rule on volumes over several members of which only some do the work.

Source:
    fio 3.x, diskutil.c (see _disks.py); lvmraid(7) and lvcreate(8), --stripes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from iosonde import units
from iosonde.loads._rules.disks import KINDS, count, listed, observed, readings
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_STRIPED = re.compile(r"\bstrip(?:ed?|ing)\b(?! ?size)|\braid[- ]?(?:0|10|1\+0)\b", re.IGNORECASE)
_LEVELS = frozenset({"raid0", "raid10", "raid4", "raid5", "raid6"})
_MIRROR = "raid1"
_RESTING = ("spares", "faulty", "journal", "rebuilding")  # values of md that name members
_ENOUGH = 1000  # I/Os, before an even spread can be asked for
_IDLE = 0.1  # of what the busiest member does


def _idle(case: EvidenceSet) -> Iterable[Finding]:
    striped: dict[tuple[str, str], list[StateEvidence]] = {}
    for state in case.states:
        if _layout(state):
            striped.setdefault((state.source, state.name), []).append(state)
    for trial in case.trials:
        said = next((word for word in _texts(trial) if _STRIPED.search(word)), "")
        volumes = [*(_printed(trial) if said else ()), *_counted_volumes(trial, striped)]
        for volume, why, members in volumes:
            finding = _unused(trial, volume, why or f"“{said}”", members)
            if finding:
                yield finding
                break


def _texts(trial: TrialEvidence) -> Iterator[str]:
    yield from (trial.heading, trial.label, *trial.row)


def _printed(trial: TrialEvidence) -> Iterator[tuple[str, str, Mapping[str, Mapping[str, float]]]]:
    """The first volume that fio printed members for, and what each of them did."""
    devices = listed(trial)
    if len(devices) < 2 or not isinstance(devices[0].get("aggr"), dict):
        return
    most = max(readings(devices, members=True), key=len, default=[])
    if most:
        yield (
            str(devices[0].get("name", "")),
            "",
            {
                str(device.get("name", "")): {kind: count(device, kind) for kind in KINDS}
                for device in most
            },
        )


def _layout(state: StateEvidence) -> str:
    """How a volume spreads over its members, in words; empty where it does not."""
    stripes, level = state.values.get("stripes"), state.values.get("level")
    if level in _LEVELS or level == _MIRROR:
        return str(level)
    return f"{stripes} stripes" if isinstance(stripes, int) and stripes > 1 else ""


def _counted_volumes(
    trial: TrialEvidence, striped: Mapping[tuple[str, str], Sequence[StateEvidence]]
) -> Iterator[tuple[str, str, Mapping[str, Mapping[str, float]]]]:
    """Volumes whose members and layout are known, and what was counted at each."""
    if not striped:
        return
    counts = {kind: observed(trial, kind) for kind in KINDS}
    for _, device in trial.stands_on:
        for state in striped.get((trial.source, device.removeprefix("/dev/")), ()):
            resting = " ".join(str(state.values.get(role) or "") for role in _RESTING).split()
            members = {
                name: {kind: counts[kind].get(name, 0.0) for kind in KINDS}
                for name in state.below
                if name not in resting and any(name in of_kind for of_kind in counts.values())
            }
            if len(members) > 1:
                yield state.name, _layout(state), members


def _unused(
    trial: TrialEvidence, volume: str, why: str, members: Mapping[str, Mapping[str, float]]
) -> Finding | None:
    """The finding, where one member is all there is or some do next to nothing."""
    mirror = why == _MIRROR  # which reads from any member it likes
    kind = (
        "write"
        if mirror
        else max(KINDS, key=lambda kind: sum(member[kind] for member in members.values()))
    )
    counts = {name: member[kind] for name, member in members.items()}
    whole, most = sum(counts.values()), max(counts.values(), default=0.0)
    idle = [name for name, count in counts.items() if count < _IDLE * most]
    if whole < _ENOUGH or (len(counts) > 1 and not idle):
        return None
    busy = [name for name in counts if name not in idle]
    took = (
        f"{', '.join(busy)} took {'all' if not idle else units.show_fraction(_share(counts, busy))}"
    )
    rest = f"; {', '.join(idle)} had next to nothing to do" if idle else ""
    return Finding(
        rule="idle-members",
        severity="warning",
        subject=trial.label,
        message=f"{volume} is said to spread over several members ({why}), but below it {took} of "
        f"the {round(whole):,} {kind}s{rest}: what was measured is not a "
        f"{'mirror' if mirror else 'stripe'}.",
        evidence=tuple(
            Evidence(f"{kind}s at {name}", round(count), "", trial.where)
            for name, count in counts.items()
        ),
        remedy="look at the layout (`lvs -o name,segtype,stripes,devices`, `mdadm --detail`): a "
        "volume is linear unless made with `lvcreate --stripes N`; changing that means to make it "
        "anew and copy its data",
        confirm="equal I/O counts of all members (iostat -x) under the same load",
    )


def _share(counts: Mapping[str, float], some: Sequence[str]) -> float:
    return sum(counts[name] for name in some) / sum(counts.values())


RULES = (
    Rule("idle-members", "fio, md, lvm", "Striped volumes of which one member, or some, took all "
         "I/Os.", "fio 3.x, diskutil.c; lvcreate(8), --stripes", _idle),
)  # fmt: skip
