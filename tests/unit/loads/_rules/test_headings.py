"""What a result is called, and what several processes measured."""

from __future__ import annotations

import pytest

from iosonde.loads._rules import headings, processes
from iosonde.records.evidence import EvidenceSet
from tests.unit.explain.cases import case_of, findings_named, trial


@pytest.mark.parametrize(
    ("heading", "alarms"),
    [
        ("64k random write", 1),
        ("Random write, bs=1M", 1),
        ("4k random write", 0),
        ("4 KB randwrite", 0),
        ("randwrite 4k vs 64k", 0),
        ("RAID 6, strip 64k, random write", 0),
        ("read ahead 256k", 0),
        ("Seagate 10K writes", 0),
        ("write cache 512M, random write", 0),
    ],
)
def test_the_block_size_of_a_heading(heading: str, alarms: int) -> None:
    evidence = trial({"write.iops": [1e3]}, heading=heading, printed=True, options={"bs": 4096})
    assert len(findings_named(headings.RULES, EvidenceSet(trials=(evidence,)))) == alarms
    measured = trial({"write.iops": [1e3]}, heading=heading, options={"bs": 4096})
    assert findings_named(headings.RULES, EvidenceSet(trials=(measured,))) == []


IOZONE = """
```
\tCommand line used: iozone -t 4 -s 64m -r 64k -i 0
\tOutput is in kBytes/sec
\tThroughput test with 4 processes
\tEach process writes a 65536 kByte file in 64 kByte records

\tChildren see throughput for  4 initial writers \t=  400000.00 kB/sec
\tParent sees throughput for  4 initial writers \t=  {} kB/sec
\tMin throughput per process \t\t\t=   90000.00 kB/sec
\tMax throughput per process \t\t\t=  110000.00 kB/sec
\tAvg throughput per process \t\t\t=  100000.00 kB/sec
\tMin xfer \t\t\t\t\t=   53620.00 kB
```
"""


@pytest.mark.parametrize(("parent", "alarms"), [("250000.00", 1), ("395000.00", 0)])
def test_children_against_their_parent(parent: str, alarms: int) -> None:
    case = case_of(IOZONE.format(parent))
    assert len(case.trials) == 1
    said = findings_named(processes.RULES, case)
    assert ["parent saw 244 MiB/s" in finding.message for finding in said] == [True] * alarms
