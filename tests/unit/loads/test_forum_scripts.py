"""YABS, bench.sh, nench.sh and pveperf. Oracle: the scripts' own arithmetic, done forwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs"
VPS = OUTPUTS / "vps-scripts"
OLD, NEW, DD, BENCH, NENCH = (
    (VPS / f"{name}.txt").read_text()
    for name in ("yabs-2023", "yabs-2026", "yabs-dd", "bench", "nench")
)
PVEPERF = (OUTPUTS / "pveperf" / "two.txt").read_text()


@pytest.mark.parametrize("text", [OLD, NEW])
def test_yabs_in_both_its_units_is_the_same_rate(text: str) -> None:
    every = trials(text)
    assert [trial.options["bs"] for trial in every] == [4096, 65536, 2**19, 2**20]
    last = every[-1].loops[0].metrics
    assert last["read.iops"] == 500
    assert last["read.bandwidth"] == pytest.approx(500 * 2**20, rel=1e-4)
    assert every[1].loops[0].metrics["write.bandwidth"] == pytest.approx(131.82e6, rel=2e-4)
    assert all(trial.steps["read.bandwidth"] < 1e-2 * 2**29 for trial in every)
    assert every[0].details == {"partition": "/dev/vda1"}


def test_yabs_says_how_far_its_unit_is_open() -> None:
    """1.9k requests of 4 KiB may be either: 7.85 MB/s as 1000 KiB or as 10⁶ B/s."""
    (trial,) = trials(
        "fio Disk Speed Tests (Mixed R/W 50/50):\n---\n"
        "Block Size | 4k (IOPS)\n  ------ | --- ----\nRead | 7.85 MB/s (1.9k)\n"
    )
    rate, step = trial.loops[0].metrics["read.bandwidth"], trial.steps["read.bandwidth"]
    assert rate - step <= 7.85e6 < 7.86 * 1.024e6 <= rate + step


def test_runs_of_dd_are_loops() -> None:
    write, reading = trials(DD)
    assert [loop.metrics for loop in write.loops] == [
        {"write.bandwidth": rate} for rate in (182e6, 190e6, 186e6)
    ]
    assert [loop.metrics["read.bandwidth"] for loop in reading.loops] == [1.1e9, 1.2e9, 1.2e9]
    (bench,) = trials(BENCH)
    assert [loop.metrics["write.bandwidth"] for loop in bench.loops] == [972e6, 1.1e9, 1e9]
    assert bench.steps == {"write.bandwidth": 0.05e9}


def test_nench() -> None:
    seek, reading, write = trials(NENCH)
    assert seek.loops[0].metrics == pytest.approx({
        "read.latency.min": 57.5e-6, "read.latency.mean": 92.7e-6, "read.latency.max": 5.2e-3,
        "read.latency.stdev": 60.1e-6,
    })  # fmt: skip
    assert reading.loops[0].metrics == {
        "read.iops": 776, "read.bandwidth": pytest.approx(194.1 * 2**20),
    }  # fmt: skip
    assert [loop.metrics["write.bandwidth"] / 2**20 for loop in write.loops] == pytest.approx(
        [180.24, 190.73, 185.97]
    )


def test_pveperf() -> None:
    every = trials(PVEPERF)
    assert [dict(trial.loops[0].metrics) for trial in every] == [
        {"read.bandwidth": 412.55 * 2**20}, {"read.latency.mean": pytest.approx(140e-6)},
        {"sync.iops": 1834.27}, {"sync.iops": 96.41},
    ]  # fmt: skip
    assert [trial.target for trial in every[2:]] == ["/dev/mapper/pve-root", "tank"]
    assert {trial.host for trial in every} == {"pve2"}
    assert every[3].command == "pveperf /tank"


@pytest.mark.parametrize("text", [OLD, DD, BENCH, NENCH, PVEPERF])
def test_every_shape(text: str) -> None:
    expected = [[dict(loop.metrics) for loop in trial.loops] for trial in trials(text)]
    for shape, changed in mangled(text, wraps=False):
        got = [[dict(loop.metrics) for loop in trial.loops] for trial in trials(changed)]
        assert got == expected, shape


@pytest.mark.parametrize(
    "text",
    [
        OLD[: OLD.index("Read ")], OLD.replace("(980)", "(98"), DD[: DD.index("Write")],
        DD.replace("190 MB/s", "190 M"), NENCH[: NENCH.index("    1st")].split("\n\n")[2],
        "root@a:~# pveperf\nCPU BOGOMIPS:      57601.92\nREGEX/SECOND:      2913044\n",
    ],
)  # fmt: skip
def test_what_is_cut_off_or_torn_is_said(text: str) -> None:
    assert [type(entry) for entry in read(text)] == [Unread]


@pytest.mark.parametrize(
    "text",
    [
        '\t\techo -e "fio Disk Speed Tests (Mixed R/W 50/50) (Partition $CURRENT_PARTITION):"\n',
        'echo "I/O speed(1st run)   : $io1"\n', "printf 'dd: sequential write speed\\n'\n",
        '    printf "BUFFERED READS:    %.2f MB/sec\\n", $bps;\n',
        "pveperf prints BUFFERED READS: of the disk and FSYNCS/SECOND: of the file system.\n",
    ],
)  # fmt: skip
def test_source_and_prose(text: str) -> None:
    assert read(text) == []


APART = """\
fio Disk Speed Tests (Partition /dev/sdq1):
---------------------------------
Block Size | 4k            (IOPS) | 1m            (IOPS)
  ------   | ---            ----  | ----           ----
Read       | 40.00 MB/s   (10000) | 102.40 MB/s    (100)
Randwrite  | 8.00 MB/s     (2000) | 51.20 MB/s      (50)
"""


def test_tables_of_other_scripts_have_a_load_in_each_row() -> None:
    for text in (APART, APART.partition(":\n")[2]):
        every = trials(text)
        ways = [trial.options["rw"] for trial in every]
        assert ways == ["read", "read", "randwrite", "randwrite"]
        assert dict(every[0].loops[0].metrics) == {
            "read.iops": 10000, "read.bandwidth": 40 * 1024e3,
        }  # fmt: skip
        assert dict(every[3].loops[0].metrics)["write.iops"] == 50
    assert trials(APART)[0].details == {"partition": "/dev/sdq1"}


def test_a_table_whose_lines_a_page_put_into_one() -> None:
    table = NEW
    joined = table.replace("\n", "")
    expected = [dict(trial.loops[0].metrics) for trial in trials(table)]
    assert len(expected) == 4
    assert [dict(trial.loops[0].metrics) for trial in trials(joined + "\n")] == expected
    other = joined.replace("(980)", "(981)")
    both = [dict(trial.loops[0].metrics) for trial in trials(f"{joined}\n{other}\n")]
    assert both[:4] == expected
    assert both[4]["read.iops"] == 981
