"""Zeros that were written where they are compressed, or kept once: the disks hardly saw them.

Source: zfsprops(7), compression (each algorithm stores blocks of zeros as holes) and dedup;
btrfs(5), compress, COMPRESSION (direct I/O is not compressed); lvmvdo(7) (blocks of zeros are not
stored); zero(4); fio HOWTO, zero_buffers (its own buffers are filled with random data).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_ZEROS = re.compile(r"\bif=/dev/zero\b|(?<![\w-])(?:--)?zero_buffers(?:=(?:1|true))?(?![\w=])")
_SHRINKS = (
    "compression", "compress", "compress-force", "dedup", "deduplication", "vdocompression",
    "vdodeduplication",
)  # fmt: skip
_OF_MOUNT = frozenset({"compress", "compress-force"})
"""Options of mounts that direct I/O goes past."""
_LINES = re.compile(r":(\d{1,9})(?:-\d{1,9})?$")
_OFF = frozenset({"", "off", "no", "none", "disabled", "false"})


def _zeros(case: EvidenceSet) -> Iterator[Finding]:
    said = set[tuple[str, str, str]]()
    for trial in case.trials:
        place = _place(case, trial) if _ZEROS.search(trial.command) else None
        if place is None or (trial.source, trial.host, place.name) in said:
            continue
        said.add((trial.source, trial.host, place.name))
        rate, how = trial.mean("write.bandwidth"), _how(place, trial)
        yield Finding(
            "compressed-zeros", "warning", trial.label,
            f"{trial.tool} wrote zeros to {trial.target}, and {place.name} has {how}: hardly "
            "anything of them reaches the disks"
            + (f", and {units.show_bandwidth(rate)} is the speed" if rate else "; it measures that")
            + " of the processor and of memory. What reads this file back measures the same.",
            (*((Evidence("write.bandwidth", rate, "B/s", trial.where),) if rate else ()),
             Evidence(f"{place.name}: {how}", True, "", place.where)),
            "write what cannot be made smaller: fio fills its buffers with random data unless told "
            "otherwise (--refill_buffers=1 where blocks are kept once); or switch it off where the "
            "test writes, if what is stored there later cannot be compressed either",
            "`du -h` of the file beside `du -h --apparent-size`; the disks' counters (`iostat -x`) "
            "during the load",
        )  # fmt: skip


def _place(case: EvidenceSet, trial: TrialEvidence) -> StateEvidence | None:
    """What holds the target and makes its data smaller; None where what holds it is not shown."""
    holding = [
        (len(path), state)
        for state in case.states
        if state.source == trial.source and trial.host in {"", state.host}
        for path in _paths(state)
        if trial.target == path or trial.target.startswith(f"{path.rstrip('/')}/")
    ]
    longest = max((length for length, _ in holding), default=0)
    shown = [state for length, state in holding if length == longest and _is_shown(state)]
    if not shown or any("compress" in name or "dedup" in name for name in trial.changes):
        return None
    above = [state for state in shown if _line(state) <= _line(trial)]
    place = above[-1] if above else shown[0]
    return place if _how(place, trial) else None


def _is_shown(state: StateEvidence) -> bool:
    return any(name in state.values for name in _SHRINKS)


def _line(thing: StateEvidence | TrialEvidence) -> int:
    """The first line that says it; 0 of what was measured here."""
    place = _LINES.search(thing.where)
    return int(place[1]) if place else 0


def _paths(state: StateEvidence) -> Iterator[str]:
    """Where its files are, or its device: as its text says, else as it is usual."""
    mount = state.values.get("mount") or state.values.get("mountpoint")
    if isinstance(mount, str) and mount.startswith("/"):
        yield mount
    elif state.name.startswith("/"):
        yield state.name
    elif state.name and _is_shown(state):
        yield from (f"{top}/{state.name}" for top in ("", "/mnt", "/dev/zvol", "/dev/mapper"))


def _how(state: StateEvidence, trial: TrialEvidence) -> str:
    """By what it makes data smaller, as its text says; empty where by nothing."""
    direct = trial.options.get("direct") is True
    return ", ".join(
        name if value is True else f"{name} {value}"
        for name, value in ((name, state.values.get(name)) for name in _SHRINKS)
        if value and str(value).lower() not in _OFF and not (direct and name in _OF_MOUNT)
    )


RULES: tuple[Rule, ...] = (
    Rule("compressed-zeros", "dd, fio",
         "Zeros that were written where they are compressed or kept once.",
         "zfsprops(7), compression; btrfs(5), COMPRESSION; lvmvdo(7)", _zeros),
)  # fmt: skip
