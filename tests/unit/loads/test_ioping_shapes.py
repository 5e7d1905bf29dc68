"""ioping of old versions, and its requests without their statistics.

The oracle of the requests is the definition of mean, minimum and maximum, worked out by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.text.find import FoundOutput
from tests.growth import grows_faster
from tests.mangle import read, trials

OLD = """\
--- /srv (xfs /dev/sdq2) ioping statistics ---
8 requests completed in 7021.5 ms, 210 iops, 0.8 MiB/s
min/avg/max/mdev = 0.3/4.7/11.9/3.5 ms
"""
OLD_REQUESTS = "4096 bytes {} /srv (xfs /dev/sdq2): request={} time=4.7 ms\n"
REQUESTS = """\
$ ioping /srv
4 KiB <<< /srv (xfs /dev/sdq2): request=1 time=900.5 us (warmup)
4 KiB <<< /srv (xfs /dev/sdq2): request=2 time=2.00 ms
4 KiB <<< /srv (xfs /dev/sdq2): request=3 time=5.00 ms (slow)
4 KiB <<< /srv (xfs /dev/sdq2): request=4 time=500.0 us (fast)
"""


@pytest.mark.parametrize(("before", "way"), [
    ("$ ioping -c 8 /srv\n", "read"), ("$ ioping -WWW -c 8 /srv\n", "write"),
    (OLD_REQUESTS.format("from", 1) + "^C\n", "read"),
    (OLD_REQUESTS.format("to", 1) + "^C\n", "write"),
])  # fmt: skip
def test_statistics_of_old_versions(before: str, way: str) -> None:
    (trial,) = trials(before + OLD)
    assert trial.loops[0].metrics == pytest.approx({
        f"{way}.iops": 210, f"{way}.bandwidth": 0.8 * 2**20, f"{way}.latency.min": 0.3e-3,
        f"{way}.latency.mean": 4.7e-3, f"{way}.latency.max": 11.9e-3,
        f"{way}.latency.stdev": 3.5e-3,
    })  # fmt: skip
    assert trial.steps[f"{way}.latency.mean"] == pytest.approx(0.05e-3)
    assert trial.target == "/srv"


def test_old_statistics_alone_do_not_say_whether_it_read_or_wrote() -> None:
    (part,) = read(OLD)
    assert isinstance(part, FoundOutput)
    assert not part.trials
    values = part.counters[0].values
    assert values["iops"] == trials(f"$ ioping -c 9 /srv\n{OLD}")[0].loops[0].metrics["read.iops"]
    assert "latency.mean" in values


def test_requests_of_other_programs_are_not_its_own() -> None:
    entries = read("====== SET ======\n  100000 requests completed in 1.23 seconds\n")
    assert [entry.tool for entry in entries] == ["redis-benchmark"]


def test_the_line_of_the_sum_alone() -> None:
    text = "sudo ./ioping -c 8 -s 1M {} /srv\n....\n8 requests completed in 7.0 s, {} iops, {}\n"
    (trial,) = trials(text.format("", "1.5 k", "1.5 GiB/s"))
    assert dict(trial.loops[0].metrics) == {
        "read.iops": 1500, "read.bandwidth": pytest.approx(1.5 * 2**30),
    }  # fmt: skip
    two = text.format("", "1.5 k", "1.5 GiB/s") + "\n" + text.format("", "12", "12.5 MiB/s")
    assert [each.loops[0].metrics["read.iops"] for each in trials(two)] == [1500, 12]
    (written,) = trials(text.format("-W", "211", "211.5 MiB/s"))
    assert list(written.loops[0].metrics) == ["write.iops", "write.bandwidth"]
    assert not list(read("All 8 requests completed in 7 days.\n"))


def test_the_mb_of_the_oldest_is_a_mebibyte_and_another_unit_is_left_out() -> None:
    (trial,) = trials(
        "$ ioping /srv\n" + OLD.replace("210 iops, 0.8 MiB/s", "2626 iops, 10.3 mb/s")
    )
    rate = trial.loops[0].metrics["read.bandwidth"]
    assert rate == pytest.approx(10.3 * 2**20)
    assert abs(2626 * 4096 - rate) <= trial.steps["read.bandwidth"]  # requests of 4 KiB
    (trial,) = trials("$ ioping /srv\n" + OLD.replace("0.8 MiB/s", "0.8 xb/s"))
    assert "read.bandwidth" not in trial.loops[0].metrics
    assert trial.loops[0].metrics["read.iops"] == 210


def test_requests_without_statistics() -> None:
    (trial,) = trials(REQUESTS)
    assert trial.loops[0].metrics == pytest.approx(
        {"read.latency.mean": 2.5e-3, "read.latency.min": 0.5e-3, "read.latency.max": 5e-3}
    )
    assert trial.details == {
        "requests": 3, "request_latencies": [2e-3, 5e-3, 0.5e-3], "warmup_latency": 0.9005e-3,
    }  # fmt: skip
    assert trial.steps["read.latency.mean"] == pytest.approx(5e-6)
    assert trial.command == "ioping /srv"
    (written,) = trials(REQUESTS.replace("<<<", ">>>"))
    assert "write.latency.mean" in written.loops[0].metrics


@pytest.mark.parametrize("between", ["\n\n", "\n^C\n"])
def test_requests_with_other_lines_between_are_one_result_in_linear_time(between: str) -> None:
    line = REQUESTS.splitlines()[2] + between
    (trial,) = trials(line * 12)
    assert trial.details["requests"] == 12
    assert not grows_faster(read, line, 1000)


@pytest.mark.parametrize("between", ["", "^C\n", "^C\n\n", "\n"])
def test_requests_with_statistics_are_read_once(between: str) -> None:
    (trial,) = trials(REQUESTS + between + OLD)
    assert trial.loops[0].metrics["read.latency.mean"] == pytest.approx(4.7e-3)


@pytest.mark.parametrize("text", [
    "GET /srv: request=1 time=2.00 ms\nGET /srv: request=2 time=2.00 ms\n",
    "64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=0.04 ms\n",
    'printf("%s (%s %s): request=%d time=", path, fs, device, n);\n',
])  # fmt: skip
def test_requests_of_others_are_none_of_ioping(text: str) -> None:
    assert [output.tool for output in read(text) if output.tool != "ping"] == []


TIMES = "min/avg/max/mdev = 60.0 us / 78.7 us / 91.2 us / 8.20 us\n"


@pytest.mark.parametrize(("option", "way"), [("-WWW ", "write"), ("", "read")])
def test_times_alone_below_a_command(option: str, way: str) -> None:
    (trial,) = trials(f"$ ioping -c10 {option}/dev/sdz\n...\n{TIMES}")
    metrics = trial.loops[0].metrics
    assert metrics[f"{way}.latency.mean"] == pytest.approx(78.7e-6)
    assert metrics[f"{way}.latency.stdev"] == pytest.approx(8.2e-6)
    assert trial.details == {}


def test_times_alone_without_a_command_are_of_nobody() -> None:
    assert not trials(TIMES)
    assert not [output for output in read(f"rtt {TIMES}") if output.tool == "ioping"]


def test_requests_amounts_and_place_of_a_run() -> None:
    text = (Path(__file__).parents[2] / "outputs" / "ioping-1.3" / "two.txt").read_text()
    slow, fast = trials(text)
    times = cast("list[float]", slow.details["request_latencies"])
    assert sum(times) / len(times) == pytest.approx(slow.loops[0].metrics["read.latency.mean"])
    assert sum(times) == pytest.approx(cast("float", slow.details["seconds"]))
    assert slow.details["warmup_latency"] == pytest.approx(79.8e-6)
    assert slow.details["bytes"] == 4 * 4096
    assert cast("dict[str, float]", slow.details["generated"])["requests"] == 5
    assert (slow.details["fstype"], slow.details["device"]) == ("ext4", "/dev/vda")
    assert "request_latencies" not in fast.details
    (whole,) = trials(text[: text.index("\n\n\n")].replace("ext4 /dev/vda ", "block device "))
    assert whole.details["device_size"] == "252.0 GiB"
    assert not whole.details.keys() & {"fstype", "device"}
