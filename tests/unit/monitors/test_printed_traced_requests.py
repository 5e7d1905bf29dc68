"""biosnoop, iosnoop, fsslower. Oracle: a request ends as long after its start as it took."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.monitors._traced_rows import KEPT
from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "tracers-composed"
REQUESTS, FILES = ((OUTPUTS / f"{name}.txt").read_text() for name in ("requests", "slow-files"))


def _slowest(row: PrintedCounters) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", row.values["slowest"])


def test_requests_say_process_place_and_pattern() -> None:
    disk, unnamed, *_ = counters(REQUESTS)
    assert (disk.name, unnamed.name) == ("sdc", "<unknown>")
    assert (disk.values["read.requests"], disk.values["read.latencies"]) == (1, [0.00125])
    written, read_ = _slowest(disk)
    assert written["pattern"] == "random"
    assert (read_["process"], read_["pid"], read_["pattern"]) == (
        "pool thread 2", 2204, "sequential",
    )  # fmt: skip
    assert read_["sector"] == cast("int", written["sector"]) + cast("int", written["bytes"]) / 512
    assert _slowest(unnamed)[0]["pattern"] is None


def test_a_write_that_flushes_first_is_a_write_and_a_queue_time_may_be_unknown() -> None:
    row = next(row for row in counters(REQUESTS) if row.name == "dm-3")
    assert (row.values["write.requests"], row.values["discard.bytes"]) == (2, 2**20)
    assert row.values["write.latencies"] == [0.0125, 0.00175]
    assert "flush.requests" not in row.values
    assert [event.get("queued") for event in _slowest(row)] == [None, 0.00025, 0.000125]


def test_bpftrace_says_no_direction_and_whole_milliseconds() -> None:
    row = next(row for row in counters(REQUESTS) if row.name == "nvme3n1")
    assert row.command == "biosnoop.bt"
    assert (row.values["requests"], row.values["latencies"]) == (2, [0, 0.012])
    assert row.values["latency_step"] == 0.001
    assert [event["time"] for event in _slowest(row)] == [1.5, 1.512]


def test_iosnoop_starts_and_ends() -> None:
    row = next(row for row in counters(REQUESTS) if row.name == "253:4")
    assert (row.values["read.requests"], row.values["read.bytes"]) == (2, 135168)
    for event in _slowest(row):
        took = cast("float", event["end"]) - cast("float", event["time"])
        assert took == pytest.approx(event["latency"])


def test_only_the_slowest_requests_are_kept_as_they_stand() -> None:
    head = "TIME(ms)     DISK             COMM             PID    LAT(ms)\n"
    rows = [f"{at} sda fio 1 {at % 250}\n" for at in range(250)]
    (row,) = counters(head + "".join(rows))
    latencies = cast("list[float]", row.values["latencies"])
    assert len(latencies) == 250
    kept = [event["latency"] for event in _slowest(row)]
    assert kept == sorted(latencies)[-KEPT:]


def test_slow_operations_by_kind() -> None:
    ext4, xfs, nfs, files = counters(FILES)
    assert [row.values.get("file_system") for row in (ext4, xfs, nfs, files)] == [
        "ext4", "xfs", "nfs", None,
    ]  # fmt: skip
    assert [row.values.get("threshold") for row in (ext4, xfs, nfs, files)] == [
        0.005, 0.02, None, 0.002,
    ]  # fmt: skip
    assert (ext4.values["read.operations"], ext4.values["read.bytes"]) == (2, 131072)
    assert ext4.values["fsync.latencies"] == [0.25]
    first, _, _, failed = _slowest(ext4)
    assert (first["file"], first["offset"]) == ("disk image.qcow2", 2 * 2**20)
    assert (failed["error"], ext4.values["read.errors"]) == (5, 1)
    assert (xfs.values["fsync.latencies"], xfs.values["open.latencies"]) == ([0.0485], [0.021])


def test_fields_of_one_line() -> None:
    nfs = counters(FILES)[2]
    written, commit, _ = _slowest(nfs)
    assert (written["file"], written["offset"]) == ("a,b.img", 3 * 2**20)
    end, start = cast("float", commit["time"]), cast("float", written["time"])
    assert end - start == pytest.approx(commit["latency"])
    assert nfs.values["getattr.latencies"] == [0.00125]


@pytest.mark.parametrize("text", [
    *REQUESTS.strip().split("\n\n"), *FILES.strip().split("\n\n")
])  # fmt: skip
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


def test_one_broken_row_is_left_out() -> None:
    whole = REQUESTS.split("\n\n")[1]
    (row,) = counters(whole.replace("WS   4096       8192", "WS   4096"))
    assert [event["way"] for event in _slowest(row)] == ["FWS", "D"]


@pytest.mark.parametrize("text", [
    "TIME COMM PID T BYTES OFF_KB LAT(ms) FILENAME\n",
    "COMM PID TYPE DEV BLOCK BYTES LATms\nand nothing below\n",
])  # fmt: skip
def test_a_head_alone_is_unread(text: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)


@pytest.mark.parametrize("text", [
    "The column LATms of iosnoop is in milliseconds\n",
    "TIME(s) COMM PID T BYTES OFF_KB SIZE LAT(ms) FILENAME\n1.5 a 1 R 1 1 1 1.00 b\n",
    "Tracing ext4 operations slower than 5 ms\n",
])  # fmt: skip
def test_prose_and_other_tables(text: str) -> None:
    assert read(text) == []


def test_requests_without_their_head_behind_grep() -> None:
    rows = (
        "0.000329000    jbd2/sda1-8    17553  sda     W  4096      8192       0.20\n"
        "4.338511000    fio            17553  sda     R  0         4096       1.27\n"
    )
    (disk,) = counters(f"$ sudo /usr/share/bcc/tools/biosnoop | grep sda\n{rows}")
    assert (disk.tool, disk.name) == ("biosnoop", "sda")
    assert (disk.values["write.bytes"], disk.values["write.latencies"]) == (8192, [0.0002])
    assert (disk.values["read.requests"], disk.values["read.latencies"]) == (1, [0.00127])
    for other in (f"$ biosnoop -Q | grep sda\n{rows.replace('0.20', '0.20 0.4')}",
                  f"biosnoop prints:\n{rows}"):  # fmt: skip
        assert not [row for row in counters(other) if row.tool == "biosnoop"]
