"""CrystalDiskMark and KDiskMark. Oracle: IOPS times the block size is the rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read, trials, unread_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "diskmark"
EIGHT, FIVE, KDISK = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("crystal-8", "crystal-5", "kdisk-3")
)
THREE = """\
           Sequential Read :   212.100 MB/s
         Random Read 512KB :   120.500 MB/s
    Random Read 4KB (QD=1) :    20.480 MB/s [  5000.0 IOPS]
  Random Write 4KB (QD=32) :    40.960 MB/s [ 10000.0 IOPS]
"""


@pytest.mark.parametrize(("text", "count"), [(EIGHT, 7), (FIVE, 8), (KDISK, 4)])
def test_rates_are_requests_times_their_size(text: str, count: int) -> None:
    every = trials(text)
    assert len(every) == count  # the one of zero was not run
    for trial in every:
        metrics, size = trial.loops[0].metrics, trial.options.get("bs")
        way = next(iter(metrics)).partition(".")[0]
        if f"{way}.iops" in metrics:
            assert isinstance(size, int)
            rate = metrics[f"{way}.iops"] * size
            assert metrics[f"{way}.bandwidth"] == pytest.approx(rate, rel=1e-5)


def test_what_each_line_says() -> None:
    first, *_, last = trials(EIGHT)
    assert first.loops[0].metrics == pytest.approx(
        {"read.bandwidth": 3355.443e6, "read.iops": 3200, "read.latency.mean": 2498.11e-6}
    )
    assert first.options == {
        "rw": "read", "bs": 2**20, "size": 2**30, "iodepth": 8, "numjobs": 1,
    }  # fmt: skip
    assert (last.options["rw"], last.options["iodepth"]) == ("randwrite", 1)
    assert (first.tool, first.version) == ("CrystalDiskMark", "8.0.4")
    old = trials(FIVE)
    assert [trial.options["rw"] for trial in old[:4]] == ["read", "write", "randread", "randwrite"]
    assert old[1].loops[0].metrics == {"write.bandwidth": 519.87e6}
    assert trials(KDISK)[0].tool == "KDiskMark"
    assert trials(KDISK)[0].loops[0].metrics["read.bandwidth"] == 508.928 * 1024e3


def test_what_stands_below_the_results() -> None:
    text = (Path(__file__).parents[2] / "outputs" / "diskmark" / "crystal-8.txt").read_text()
    for trial in trials(text):
        assert trial.details["test"] == "1 GiB (x5) [C: 61% (283/465GiB)]"
        assert trial.details["os"] == "Windows 11 Professional [10.0 Build 22621] (x64)"
        assert trial.details["date"] == "2023/02/11 18:03:22"
    (above, *_) = trials(f"OS: another machine's\n\n\n\n{text[: text.index('Profile')]}")
    assert "os" not in above.details


def test_lines_of_version_3() -> None:
    every = trials("* MB/s = 1,000,000 byte/s [SATA/300 = 300,000,000 byte/s]\n\n" + THREE)
    assert [trial.options.get("bs") for trial in every] == [None, 2**19, 4096, 4096]
    assert every[3].options["iodepth"] == 32


def test_how_far_the_unit_of_kdiskmark_is_open() -> None:
    head = "KDiskMark (3.1.0): https://x.org\n[Read]\n"
    (trial,) = trials(head + "Random 4 KiB (Q= 1, T= 1):  0.020 MB/s [   5.0 IOPS] < 99.05 us>\n")
    rate, step = trial.loops[0].metrics["read.bandwidth"], trial.steps["read.bandwidth"]
    assert rate - step <= 0.02e6 <= 0.02 * 2**20 <= rate + step


@pytest.mark.parametrize("text", [EIGHT, FIVE, KDISK])
def test_every_shape(text: str) -> None:
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    for shape, changed in mangled(text):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


def test_a_torn_line_is_said() -> None:
    result, entry = read(EIGHT.replace("T=16):  1228.800", "T=16):  1228,800"))
    assert isinstance(result, FoundOutput)
    assert len(result.trials) == 6
    assert isinstance(entry, Unread)
    assert entry.reason == "1 of its lines are torn"


def test_lines_without_their_title_are_no_guess() -> None:
    (entry,) = read(EIGHT[EIGHT.index("  SEQ") : EIGHT.index("[Write]")])
    assert isinstance(entry, Unread)
    assert entry.reason == "whether it read or wrote is cut off"


@pytest.mark.parametrize(
    "text",
    [
        "CrystalDiskMark's MB/s = 1,000,000 bytes/s, while others count MiB.\n",
        "With (Q= 8, T= 1): this is the best case, with (Q= 1, T= 1): the usual.\n",
        'output << QString("%1 MB/s [ %2 IOPS] < %3 us>").arg(a);\n',
    ],
)
def test_source_and_prose(text: str) -> None:
    assert read(text) == []


def test_results_of_several_beside_each_other() -> None:
    text = (
        "[Read]                           *One disk*                      *Two mirrored*\n"
        "Sequential 1MiB (Q=  8, T= 1):   160.497 MB/s [ 153.1 IOPS]   282.983 MB/s [ 269.9 IOPS]\n"
        "    Random 4KiB (Q=  1, T= 1):    0.527 MB/s [ 128.7 IOPS]    21.189 MB/s [ 5173.1 IOPS]\n"
        "\n[Write]                          *One disk*                      *Two mirrored*\n"
        "Sequential 1MiB (Q=  8, T= 1):   153.896 MB/s [ 146.8 IOPS]   226.825 MB/s [ 216.3 IOPS]\n"
    )
    read_of = {trial.label: trial.loops[0].metrics for trial in trials(text)}
    assert read_of["One disk: read 1 MiB Q8"]["read.bandwidth"] == pytest.approx(160.497e6)
    assert read_of["Two mirrored: randread 4 KiB Q1"]["read.iops"] == 5173.1
    assert read_of["Two mirrored: write 1 MiB Q8"]["write.bandwidth"] == pytest.approx(226.825e6)
    for metrics in read_of.values():  # a rate is requests times their size, of any column
        (way,) = {name.partition(".")[0] for name in metrics}
        size = 4096 if metrics[f"{way}.bandwidth"] / metrics[f"{way}.iops"] < 5000 else 2**20
        assert metrics[f"{way}.bandwidth"] == pytest.approx(metrics[f"{way}.iops"] * size, rel=1e-3)


def test_a_row_with_fewer_results_than_the_others_is_not_guessed() -> None:
    """Which column the second result of one row belongs to is not known."""
    text = (
        "[Read]\nSequential 1MiB (Q=  8, T= 1):   160.497 MB/s [  153.1 IOPS]   282.983 MB/s\n"
        "    Random 4KiB (Q=  1, T= 1):     0.527 MB/s [    128.7 IOPS]\n"
    )
    assert [trial.label for trial in trials(text)] == ["read 1 MiB Q8", "randread 4 KiB Q1"]
    (entry,) = unread_in(text)
    assert entry.reason == "1 of its lines are torn"
