"""rados bench. Oracle: requests times their size over the seconds is the bandwidth it prints."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Json
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs" / "rados-bench" / "three.txt").read_text()


def test_each_run_is_a_trial_in_mebibytes() -> None:
    every = trials(TEXT)
    ways = [("write", 4 * 2**20), ("read", 4 * 2**20), ("read", 4096)]
    assert len(every) == len(ways)
    for trial, (way, size) in zip(every, ways, strict=True):
        metrics = trial.loops[0].metrics
        rate = metrics[f"{way}.bandwidth"]
        assert metrics[f"{way}.iops"] * size == pytest.approx(rate, rel=3e-3)
        assert trial.options["bs"] == size
    write, sequential, old = every
    assert write.loops[0].metrics["write.latency.mean"] == 0.145822
    assert write.loops[0].metrics["write.latency.stdev"] == 0.0512
    assert write.details["max_iops"] == 115
    assert (write.host, write.target, write.options["iodepth"]) == ("mon1", "scratch", 16)
    assert (sequential.options["iodepth"], sequential.elapsed) == (32, (4.25532,))
    assert old.loops[0].metrics["read.latency.max"] == 0.9
    assert old.command == ""


def test_each_second_of_the_table_and_what_it_is_about() -> None:
    write, sequential, _ = trials(TEXT)
    table = cast("list[dict[str, float]]", write.details["intervals"])
    assert [row["seconds"] for row in table] == [0, 1, 2, 3, 10]
    assert "latency.last" not in table[0]
    for row in table[1:]:
        rate = row["finished"] * 4 * 2**20 / row["seconds"]
        assert row["average_bandwidth"] == pytest.approx(rate, rel=2e-3)
        assert row["started"] - row["finished"] == row["in_flight"]
    assert (table[3]["bandwidth"], table[3]["latency.last"]) == (420 * 2**20, 0.122902)
    assert write.details["object_prefix"] == "benchmark_data_mon1_20211"
    assert (write.details["stdev_iops"], write.details["object_size"]) == (3, 4 * 2**20)
    assert len(cast("list[Json]", sequential.details["intervals"])) == 3


def test_a_second_that_is_cut_off_is_none_of_the_table() -> None:
    part = TEXT[: TEXT.index("0.144991")] + "0.14"
    (entry,) = read(part.replace("   0.14", " "))
    assert isinstance(entry, FoundOutput)
    table = cast("list[dict[str, float]]", entry.counters[0].values["intervals"])
    assert [row["seconds"] for row in table] == [0, 1, 2]


def test_every_shape() -> None:
    text = TEXT[: TEXT.index("Before")].rstrip()
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    for shape, changed in mangled(text):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT[: TEXT.index("sec Cur ops") + 40], "its sums at the end are cut off"),
        (TEXT[TEXT.index("Bandwidth") : TEXT.index("[root@mon1 ~]# rados bench -p scratch 10 s")],
         "whether it read or wrote is cut off"),
    ],
)  # fmt: skip
def test_what_is_cut_off(text: str, reason: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == reason


def test_a_run_of_which_only_the_table_is_left_is_kept_as_far_as_it_came() -> None:
    (entry,) = read(TEXT[: TEXT.index("Total time")])
    assert isinstance(entry, FoundOutput)
    assert not entry.trials
    last = TEXT[: TEXT.index("Total time")].rstrip().splitlines()[-1].split()
    values = entry.counters[0].values
    assert (values["seconds"], values["finished"]) == (int(last[0]), int(last[3]))
    assert values["bandwidth"] == pytest.approx(float(last[4]) * 2**20)
    assert values["latency.mean"] == float(last[7])


@pytest.mark.parametrize(
    "text",
    [
        '       << "Total writes made:      " << data.finished << std::endl\n',
        '    out(cout) << "Maintaining " << concurrentios << " concurrent writes of "\n',
        "The line Bandwidth (MB/sec): is in MiB, and Total writes made: counts objects.\n",
    ],
)
def test_source_and_prose(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("above", "command"),
    [
        ("# rados bench write performance\n\n", ""),
        ("rados bench random write results\n", ""),
        ("root@n1:~# rados -p test bench 10 write -t 16\n", "rados -p test bench 10 write -t 16"),
        ("$ rados bench -p test $SECONDS write\n", "rados bench -p test $SECONDS write"),
    ],
)
def test_a_command_names_its_seconds_and_what_it_does(above: str, command: str) -> None:
    sums = TEXT[TEXT.index("Total time") : TEXT.index("Total reads")].partition("hints")[0]
    (trial, *_) = trials(above + sums)
    assert trial.command == command
    seconds = {"rados -p test bench 10 write -t 16": 10}.get(command)
    assert trial.options.get("runtime") == seconds


def test_the_seconds_that_it_says_itself() -> None:
    (trial, *_) = trials(TEXT[TEXT.index("hints") :])
    assert trial.options["runtime"] == 10
    objects = TEXT[TEXT.index("hints") :].replace("10 seconds or 0 objects", "0 seconds or 5")
    assert "runtime" not in trials(objects)[0].options  # it ends with the objects
