"""What writes cost on arrays."""

from __future__ import annotations

from itertools import product
from math import gcd

import pytest

from iosonde.layers._raid import findings as raid
from iosonde.layers._raid.arrays import write_cost
from iosonde.layers.md import findings as of_md
from iosonde.records.evidence import CommandEvidence, EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named, loop_tester_page, trial

RULES = (*raid.RULES, *of_md.RULES)
KIB = 1024
MIB = 1024 * KIB
RAID5: dict[str, Scalar] = {
    "level": "raid5", "raid_disks": 5, "chunk_size": 64 * KIB, "data_members": 4,
    "stripe_width": 256 * KIB, "sync_action": "idle", "degraded": 0,
}  # fmt: skip
DIRECT: dict[str, Scalar] = {"bs": 4 * KIB, "rw": "randwrite", "direct": True}
MDSTAT = """Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sdf[5] sde[3] sdd[2] sdc[1] sdb[0]
      7813529600 blocks super 1.2 level 5, 64k chunk, algorithm 2 [5/5] [UUUUU]

unused devices: <none>
"""


def md(values: dict[str, Scalar], name: str = "md0") -> StateEvidence:
    return StateEvidence("md", name, "n1", values, f"n1/md:{name}", "page")


def on_md0(options: dict[str, Scalar], *metrics: str) -> TrialEvidence:
    figures = {metric: [100.0] for metric in metrics or ("write.iops",)}
    return trial(figures, host="n1", options=options, stands_on=(("md", "/dev/md0"),))


def said(options: dict[str, Scalar], values: dict[str, Scalar], *metrics: str) -> list[Finding]:
    case = EvidenceSet(trials=(on_md0(options, *metrics),), states=(md(values),))
    return findings_named(RULES, case, "raid-penalty")


@pytest.mark.parametrize(("size", "alarms"), [(4 * KIB, 1), (256 * KIB, 0), (300 * KIB, 1)])
def test_writes_that_do_not_fill_stripes(size: int, alarms: int) -> None:
    assert len(said({**DIRECT, "bs": size}, RAID5)) == alarms


@pytest.mark.parametrize(
    ("values", "alarms"),
    [({"level": "raid1", "raid_disks": 2}, 0), ({**RAID5, "level": "raid10"}, 0),
     ({"level": "raid5", "raid_disks": 5}, 0), (RAID5, 1)],
)  # fmt: skip
def test_only_known_stripes_with_parity_matter(values: dict[str, Scalar], alarms: int) -> None:
    assert len(said(DIRECT, values)) == alarms


@pytest.mark.parametrize(
    ("options", "metric", "alarms"),
    [
        ({"bs": 4 * KIB, "rw": "randread", "direct": True}, "read.iops", 0),
        ({"bs": 4 * KIB, "rw": "write", "direct": False}, "write.iops", 0),
        ({"bs": 4 * KIB, "rw": "randwrite", "direct": False}, "write.iops", 1),
        ({"rw": "randwrite"}, "write.iops", 0),
    ],
)
def test_reads_and_what_the_page_cache_puts_together(
    options: dict[str, Scalar], metric: str, alarms: int
) -> None:
    assert len(said(options, RAID5, metric)) == alarms


def test_a_small_random_write_is_four_ios_of_the_drives_or_six() -> None:
    (five,) = said({**DIRECT, "rw": "randrw"}, RAID5, "write.iops", "read.iops")
    assert "cost its drives 2 reads and 2 writes each" in five.message
    assert {evidence.what: evidence.value for evidence in five.evidence}[
        "I/Os of the drives: reads + 4 × writes"
    ] == 100 + 4 * 100
    six = {**RAID5, "level": "raid6", "raid_disks": 6}
    assert "3 reads and 3 writes" in said(DIRECT, six)[0].message


def test_sequential_writes_may_be_gathered() -> None:
    (finding,) = said({**DIRECT, "rw": "write", "bs": 64 * KIB}, RAID5)
    assert "unless a cache gathers" in finding.message
    assert finding.severity == "note"


def test_an_array_in_the_same_text_counts_where_the_tool_names_it() -> None:
    state = case_of(MDSTAT).states[0]
    seen = trial({"write.iops": [9.0]}, options=DIRECT, device_io={"md0": {"writes": 9.0}})
    other = trial({"write.iops": [9.0]}, options=DIRECT, device_io={"sdg": {"writes": 9.0}})
    assert len(findings_named(raid.RULES, EvidenceSet(trials=(seen,), states=(state,)))) == 1
    assert findings_named(raid.RULES, EvidenceSet(trials=(other,), states=(state,))) == []


def test_several_geometries_of_one_array_are_one_finding() -> None:
    """A log without a block size: the command of the same text tells it."""
    chunks = (64 * KIB, 256 * KIB, MIB)
    values: dict[str, Scalar] = {"raid_level": "raid6", "disks": 22}
    states = tuple(
        StateEvidence("hwraid", "sda", "n1", {**values, "strip_size": chunk}, "p:9", "page")
        for chunk in chunks
    )
    trials = tuple(
        trial({"write.bandwidth": [1e9]}, host="n1", label=f"strip {chunk}", target="/dev/sda5",
              settings={"n1/hwraid:sda.strip_size": chunk})
        for chunk in chunks
    )  # fmt: skip
    asked = CommandEvidence(
        "fio", "fio --name=x --rw randwrite --bs 4M --direct 1", "", "p:1", "page"
    )
    (finding,) = findings_named(
        raid.RULES, EvidenceSet(trials=trials, states=states, commands=(asked,))
    )
    assert "1.25 MiB or 5 MiB or 20 MiB: at most 75 % of their bytes" in finding.message
    assert finding.severity == "warning"
    assert "16 instead of 20 data disks and a strip of 256 KiB" in finding.remedy
    assert [each.where for each in finding.evidence][:1] == ["p:1"]


@pytest.mark.parametrize(
    ("tool", "metric", "findings"),
    [
        ("hdparm", "buffered_read.bandwidth", 0), ("dd", "copy.bandwidth", 0),
        ("ioping", "read.bandwidth", 0), ("iozone", "random_read.bandwidth", 0),
        ("fio", "random_read.bandwidth", 0), ("fio", "write.bandwidth", 1),
        ("hap-fio-tester", "write.bandwidth", 1),
    ],
)  # fmt: skip
def test_a_command_of_fio_makes_no_write_of_what_others_read(
    tool: str, metric: str, findings: int
) -> None:
    values: dict[str, Scalar] = {"raid_level": "raid6", "disks": 22, "strip_size": MIB}
    state = StateEvidence("hwraid", "sda", "n1", values, "p:9", "page")
    read = trial({metric: [1e9]}, host="n1", target="/dev/sda", tool=tool)
    asked = CommandEvidence(
        "fio", "fio --name=x --rw randwrite --bs 4M --direct 1", "", "p:1", "page"
    )
    case = EvidenceSet(trials=(read,), states=(state,), commands=(asked,))
    assert len(findings_named(raid.RULES, case)) == findings


def test_a_page_of_logs_with_its_geometry_in_a_sentence() -> None:
    """Logs that name strip sizes, a command that names the block, a sentence for the rest."""
    text = (
        "# Setup\n\n- RAID level 6 using 22 drives, two more as spares\n\n"
        "fio --name x --filename /dev/sda5 --ioengine libaio --direct 1 --bs 4M --rw randwrite "
        "--size 2g --iodepth 64 --numjobs 4 --runtime 30 --time_based\n\n" + loop_tester_page()
    )
    (finding,) = findings_named(raid.RULES, case_of(text), "raid-penalty")
    assert "stripe of sda (RAID 6 of 22 disks), 1.25 MiB" in finding.message
    stripes = [each.value for each in finding.evidence if each.what.startswith("full stripe")]
    assert stripes == [20 * 64 * KIB << power for power in range(5)]
    without = text.replace("- RAID level 6 using 22 drives", "- Drives")
    assert findings_named(raid.RULES, case_of(without), "raid-penalty") == []


def slow_cost(block: int, chunk: int, data: int, parity: int) -> tuple[float, float, float]:
    """The same counted sector by sector: of each row, which members are written."""
    sector, stripe = 512, chunk * data
    positions = stripe // gcd(block, stripe)
    read = written = whole = 0
    for position in range(positions):
        begin = position * block
        rows: dict[tuple[int, int], int] = {}
        filled: dict[int, int] = {}
        for at in range(begin, begin + block, sector):
            row = at // stripe, at % chunk
            rows[row] = rows.get(row, 0) + 1
            filled[at // stripe] = filled.get(at // stripe, 0) + sector
        for count in rows.values():
            read += sector * min(count + parity, data - count)
            written += sector * (count + parity)
        whole += sum(size for size in filled.values() if size == stripe)
    return read / positions, written / positions, whole / positions / block


@pytest.mark.parametrize(
    ("block", "chunk", "data", "parity"),
    list(product((512, 4096, 12288, 40960), (4096, 8192), (2, 3, 5), (1, 2))),
)
def test_costs_agree_with_slow_counting(block: int, chunk: int, data: int, parity: int) -> None:
    cost = write_cost(block, chunk, data, parity)
    assert cost is not None
    assert (cost.read, cost.written, cost.whole) == pytest.approx(
        slow_cost(block, chunk, data, parity)
    )


@pytest.mark.parametrize(("size", "alarms"), [(256, 1), ("256", 1), (4096, 0)])
def test_the_stripe_cache_matters_where_something_is_written(size: Scalar, alarms: int) -> None:
    values = {**RAID5, "stripe_cache_size": size}
    assert len(said({**DIRECT, "bs": 256 * KIB}, values)) == alarms
    assert said({"bs": 4 * KIB, "rw": "read"}, values, "read.iops") == []
    assert findings_named(RULES, EvidenceSet(states=(md(values),))) == []


def test_work_in_the_background_of_trials_is_said_once() -> None:
    work = ("md0: resync 12 %",)
    trials = tuple(
        trial({"write.iops": [1.0]}, label=label, background=work) for label in ("one", "two")
    )
    (busy,) = findings_named(RULES, EvidenceSet(trials=trials))
    assert "resync 12 %" in busy.message
    assert busy.subject == "one and 1 more"
