"""What writes cost on arrays, and arrays that are not whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import gcd
from typing import Any

import pytest

from iosonde.layers._raid import findings as raid
from iosonde.layers._raid.arrays import write_cost
from iosonde.records.evidence import CommandEvidence, EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, found, loop_tester_page, trial

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
    return found(raid.RULES, case, "raid-penalty")


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
    assert {one.what: one.value for one in five.evidence}[
        "I/Os of the drives: reads + 4 × writes"
    ] == 100 + 4 * 100
    six = {**RAID5, "level": "raid6", "raid_disks": 6}
    assert "3 reads and 3 writes" in said(DIRECT, six)[0].message


def test_sequential_writes_may_be_gathered() -> None:
    (one,) = said({**DIRECT, "rw": "write", "bs": 64 * KIB}, RAID5)
    assert "unless a cache gathers" in one.message
    assert one.severity == "note"


def test_an_array_in_the_same_text_counts_where_the_tool_names_it() -> None:
    state = case_of(MDSTAT).states[0]
    seen = trial({"write.iops": [9.0]}, options=DIRECT, device_io={"md0": {"writes": 9.0}})
    other = trial({"write.iops": [9.0]}, options=DIRECT, device_io={"sdg": {"writes": 9.0}})
    assert len(found(raid.RULES, EvidenceSet(trials=(seen,), states=(state,)))) == 1
    assert found(raid.RULES, EvidenceSet(trials=(other,), states=(state,))) == []


def test_several_geometries_of_one_array_are_one_finding() -> None:
    """A log without a block size: the command of the same text tells it."""
    chunks = (64 * KIB, 256 * KIB, MIB)
    known: dict[str, Scalar] = {"raid_level": "raid6", "disks": 22}
    states = tuple(
        StateEvidence("hwraid", "sda", "n1", {**known, "strip_size": chunk}, "p:9", "page")
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
    (one,) = found(raid.RULES, EvidenceSet(trials=trials, states=states, commands=(asked,)))
    assert "1.25 MiB or 5 MiB or 20 MiB: at most 75 % of their bytes" in one.message
    assert one.severity == "warning"
    assert "16 instead of 20 data disks and a strip of 256 KiB" in one.remedy
    assert [each.where for each in one.evidence][:1] == ["p:1"]


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
    known: dict[str, Scalar] = {"raid_level": "raid6", "disks": 22, "strip_size": MIB}
    state = StateEvidence("hwraid", "sda", "n1", known, "p:9", "page")
    read = trial({metric: [1e9]}, host="n1", target="/dev/sda", tool=tool)
    asked = CommandEvidence(
        "fio", "fio --name=x --rw randwrite --bs 4M --direct 1", "", "p:1", "page"
    )
    case = EvidenceSet(trials=(read,), states=(state,), commands=(asked,))
    assert len(found(raid.RULES, case)) == findings


def test_a_page_of_logs_with_its_geometry_in_a_sentence() -> None:
    """Logs that name strip sizes, a command that names the block, a sentence for the rest."""
    text = (
        "# Setup\n\n- RAID level 6 using 22 drives, two more as spares\n\n"
        "fio --name x --filename /dev/sda5 --ioengine libaio --direct 1 --bs 4M --rw randwrite "
        "--size 2g --iodepth 64 --numjobs 4 --runtime 30 --time_based\n\n" + loop_tester_page()
    )
    (one,) = found(raid.RULES, case_of(text), "raid-penalty")
    assert "stripe of sda (RAID 6 of 22 disks), 1.25 MiB" in one.message
    stripes = [each.value for each in one.evidence if each.what.startswith("full stripe")]
    assert stripes == [20 * 64 * KIB << power for power in range(5)]
    without = text.replace("- RAID level 6 using 22 drives", "- Drives")
    assert found(raid.RULES, case_of(without), "raid-penalty") == []


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
    assert found(raid.RULES, EvidenceSet(states=(md(values),))) == []


def test_arrays_that_lack_members_or_work_for_themselves() -> None:
    values: dict[str, Scalar] = {
        **RAID5, "degraded": 1, "sync_action": "recover", "sync_share": 0.1, "faulty": "sdc",
    }  # fmt: skip
    lacking, busy = found(raid.RULES, EvidenceSet(states=(md(values),)), "degraded")
    assert (lacking.severity, busy.severity) == ("error", "warning")
    assert "md0 (RAID 5) lacks 1 of its 5 members" in lacking.message
    assert lacking.evidence[1].value == "sdc"
    assert busy.message.startswith("md0 rebuilds a member")
    assert found(raid.RULES, EvidenceSet(states=(md(RAID5),)), "degraded") == []


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ({"level": "raid5"}, "the next loss may take data"),
        ({"level": "raid6"}, "one more may be lost"),
        ({"level": "raid1", "raid_disks": 2}, "the next loss may take data"),
        ({"level": "raid1", "raid_disks": 4}, "2 more may be lost"),
        ({"level": "raid10", "layout": 0x103}, "one more may be lost"),
    ],
)
def test_a_degraded_array_says_what_it_still_stands(values: dict[str, Any], left: str) -> None:
    (lacking,) = found(raid.RULES, EvidenceSet(states=(md({**RAID5, **values, "degraded": 1}),)),
                       "degraded")  # fmt: skip
    assert left in lacking.message


@pytest.mark.parametrize("action", ["idle", "frozen", None, ""])
def test_idle_arrays_are_left_in_peace(action: Scalar) -> None:
    assert found(raid.RULES, EvidenceSet(states=(md({**RAID5, "sync_action": action}),))) == []


def test_work_in_the_background_of_trials_is_said_once() -> None:
    work = ("md0: resync 12 %",)
    trials = tuple(
        trial({"write.iops": [1.0]}, label=label, background=work) for label in ("one", "two")
    )
    (busy,) = found(raid.RULES, EvidenceSet(trials=trials))
    assert "resync 12 %" in busy.message
    assert busy.subject == "one and 1 more"


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ({"connection": "Connected", "disk_state": "UpToDate", "peer_disk_state": "UpToDate"}, ""),
        ({"replication": "Established", "disk_state": "UpToDate"}, ""),
        ({"disk_state": "UpToDate", "peer_disk_state": "UpToDate"}, ""),
        ({"connection": "SyncSource", "peer_disk_state": "Inconsistent"}, "warning"),
        ({"connection": "StandAlone", "out_of_sync": 4096}, "error"),
        ({"connection": "Connected", "disk_state": "Diskless"}, "error"),
    ],
)
def test_replication(values: dict[str, Scalar], severity: str) -> None:
    case = EvidenceSet(states=(StateEvidence("drbd", "r0", "n1", values, "p:1", "page"),))
    assert [one.severity for one in found(raid.RULES, case)] == ([severity] if severity else [])


def _volume(*peers: dict[str, Scalar], **own: Scalar) -> EvidenceSet:
    """A DRBD volume with its peers, as `drbdadm status` gives them."""
    return EvidenceSet(states=tuple(
        StateEvidence("drbd", "r0", "n1", {"disk_state": "UpToDate", "connection": "Connected",
                                   **own, "peer": f"node{place}", **peer}, "p:1", "page")
        for place, peer in enumerate(peers, 2)
    ))  # fmt: skip


UP: dict[str, Scalar] = {"peer_disk_state": "UpToDate"}
TIE_BREAKER: dict[str, Scalar] = {"peer_disk_state": "Diskless"}
AWAY: dict[str, Scalar] = {"connection": "Connecting"}


@pytest.mark.parametrize(
    ("case", "severities"),
    [
        (_volume(UP, TIE_BREAKER), []),
        (_volume(TIE_BREAKER, UP), []),
        (_volume(UP, UP, disk_state="Diskless"), []),  # as the tie-breaker itself sees it
        (_volume(UP, UP), []),
        (_volume(TIE_BREAKER), ["error"]),
        (_volume(TIE_BREAKER, AWAY), ["error"]),
        (_volume(UP, disk_state="Diskless"), ["error"]),
        (_volume(AWAY, AWAY), ["error"]),
        (_volume(UP, AWAY), ["warning"]),
        (_volume(UP, {"replication": "SyncSource", "peer_disk_state": "Inconsistent"}),
         ["warning"]),
        (_volume({**UP, "out_of_sync": 131072}), ["error"]),
        (_volume({**UP, "out_of_sync": 0}), []),
        (_volume({**UP, "out_of_sync": 131072, "replication": "VerifyS"}), ["warning"]),
        (_volume({**AWAY, "out_of_sync": 131072}), ["error"]),  # the copy away, once
    ],
)  # fmt: skip
def test_replication_to_several_peers(case: EvidenceSet, severities: list[str]) -> None:
    assert [one.severity for one in found(raid.RULES, case)] == severities


def test_what_is_out_of_sync_is_shown() -> None:
    (finding,) = found(raid.RULES, _volume({**UP, "out_of_sync": 131072}, TIE_BREAKER))
    assert "not the same on both sides" in finding.message
    assert [one.value for one in finding.evidence if one.unit == "B"] == [131072]


def test_two_moments_of_one_volume_are_judged_apart() -> None:
    later = tuple(replace(one, where="p:9") for one in _volume(UP).states)
    case = EvidenceSet(states=(*_volume(AWAY).states, *later))
    assert [one.severity for one in found(raid.RULES, case)] == ["error"]
