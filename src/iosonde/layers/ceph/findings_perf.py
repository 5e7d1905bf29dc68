"""An OSD that takes far longer for its writes than the others do.

Source: Ceph documentation, rados/troubleshooting/troubleshooting-osd (slow or unresponsive OSDs:
bad drives, `ceph osd perf`); ceph osd/osd_perf_counters, os_commit_latency_ns: means of the last
moments, so that a table is one of a moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from iosonde import units
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_TOOL = "ceph osd perf"
_OTHERS = 5
"""OSDs at least of which a median is one."""
_SLOW, _TIMES, _GAP = 0.1, 10, 4
"""Seconds; times the median of the others; times the slowest of the others: as much is not the
difference of kinds of disks."""
_FEW = 8
"""Of so many OSDs one may be slow; where more are, their kind is."""


def _slow_osds(case: EvidenceSet) -> Iterator[Finding]:
    said = set[tuple[str, str, str]]()
    for osds in _tables(case):
        slow, others = _apart(osds)
        for osd in slow:
            if (osd.source, osd.host, osd.name) in said:
                continue
            said.add((osd.source, osd.host, osd.name))
            usual, longest = median(map(_latency, others)), max(map(_latency, others))
            yield Finding(
                "slow-osd", "warning", subject_of(osd),
                f"{osd.name} takes {units.show_seconds(_latency(osd))} to commit or apply a write, "
                f"the {len(others)} others {units.show_seconds(usual)} (median) and at most "
                f"{units.show_seconds(longest)}: each write with a copy on it waits for it.",
                (Evidence("latency", _latency(osd), "s", osd.where),
                 Evidence("median of the others", usual, "s", osd.where),
                 Evidence("slowest of the others", longest, "s", osd.where)),
                f"run `ceph osd perf` some more times; where it stays, `ceph device ls-by-daemon "
                f"{osd.name}` names its disk: see `iostat -x`, smartctl and the kernel's log of "
                f"its host, and `ceph tell {osd.name} dump_historic_ops`; a disk that is failing "
                f"goes out (`ceph osd out {osd.name}`)",
                "`ceph osd perf` under the same load",
            )  # fmt: skip


def _tables(case: EvidenceSet) -> Iterator[list[CounterEvidence]]:
    """The OSDs of each table with a latency, those of each class of devices apart, if known."""
    classes = _classes(case)
    tables: dict[tuple[str, str, str, str], list[CounterEvidence]] = {}
    for osd in case.counted(_TOOL):
        kind = classes.get((osd.source, osd.name), "")
        tables.setdefault((osd.source, osd.host, osd.where, kind), []).append(osd)
    yield from tables.values()


def _classes(case: EvidenceSet) -> Mapping[tuple[str, str], str]:
    def kind(osd: StateEvidence) -> str:
        return str(osd.values.get("class") or "")

    return {(osd.source, osd.name): kind(osd) for osd in case.of_kind("osd") if kind(osd)}


def _apart(
    osds: Sequence[CounterEvidence],
) -> tuple[list[CounterEvidence], list[CounterEvidence]]:
    """OSDs that are slow, and the others; none where too many are, or they lie not apart."""
    ordered = sorted(osds, key=_latency)
    for place in range(max(len(ordered) - max(1, len(ordered) // _FEW), _OTHERS), len(ordered)):
        others, slow = ordered[:place], ordered[place:]
        usual, longest = median(map(_latency, others)), _latency(others[-1])
        if _latency(slow[0]) >= max(_SLOW, _TIMES * usual, _GAP * longest):
            return slow, others
    return [], ordered


def _latency(osd: CounterEvidence) -> float:
    """Seconds: the longer of the two, which BlueStore has alike."""
    return max(osd.number("commit_latency"), osd.number("apply_latency"))


RULES: tuple[Rule, ...] = (
    Rule("slow-osd", "osd", "An OSD whose writes take far longer than the others'.",
         "Ceph documentation, rados/troubleshooting/troubleshooting-osd", _slow_osds),
)  # fmt: skip
