"""Rules about data that was written to be read back: what came back otherwise.

Source: f3 8.0, f3read.c: sectors of its own pattern are ok, corrupted (another content), slightly
changed (few bits), or overwritten (the content of another place, as on a drive whose addresses wrap
around: it is smaller than it says); f3probe.c names the kinds of counterfeits.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_F3 = "f3"
_WAYS = {
    "overwritten_bytes": "hold what belongs to another place, as on a drive that is smaller than "
    "it says",
    "corrupted_bytes": "hold something else",
    "changed_bytes": "differ in a few bits",
}


def _lost(case: EvidenceSet) -> Iterator[Finding]:
    for counters in case.counters:
        lost = counters.values.get("lost_bytes")
        if counters.tool != _F3 or not isinstance(lost, int) or not lost:
            continue
        ways = [
            f"{units.show_bytes(size)} {how}"
            for name, how in _WAYS.items()
            if (size := _bytes(counters, name))
        ]
        yield Finding(
            "damaged-files", "error", subject_of(counters),
            f"{units.show_bytes(lost)} of what f3write wrote were not read back as they were"
            f"{': ' if ways else ''}{'; '.join(ways)}. No speed of this drive counts: it does not "
            "keep data.",
            (Evidence("lost", lost, "B", counters.where),),
            "copy what is still good to another drive, and take this one out of use; f3probe says "
            "whether its announced size is true",
            "f3write and f3read again, on another reader and port",
        )  # fmt: skip


def _bytes(counters: CounterEvidence, name: str) -> int:
    size = counters.values.get(name)
    return size if isinstance(size, int) else 0


def _counterfeit(case: EvidenceSet) -> Iterator[Finding]:
    for disk in case.with_value("genuine"):
        if disk.values.get("genuine") is not False:
            continue
        usable, announced = disk.number("usable_size"), disk.number("announced_size")
        size = (
            f": of {units.show_bytes(announced)} that it announces {units.show_bytes(usable)} "
            "can be used"
            if usable and announced else ""
        )  # fmt: skip
        yield Finding(
            "damaged-files", "error", subject_of(disk),
            f"f3probe takes {disk.name} for a counterfeit or damaged{size}.",
            disk.evidence("counterfeit", "usable_size", "announced_size"),
            "copy what is still good to another drive, and take this one out of use",
            "f3probe again, on another reader and port",
        )  # fmt: skip


RULES = (
    Rule("damaged-files", "f3", "Data that f3 wrote and did not read back.",
         "f3 8.0, f3read.c", _lost, stage="data"),
    Rule("damaged-files", "f3, disk", "A drive that f3probe takes for a counterfeit.",
         "f3 8.0, f3probe.c", _counterfeit, stage="data"),
)  # fmt: skip
