"""sysbench fileio of all years. Oracle: what its own lines say twice, and its source's units."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs"
NEW = (OUTPUTS / "sysbench-1.0.20" / "two.txt").read_text()
OLD = (OUTPUTS / "sysbench-composed" / "0.4.txt").read_text()
NEXT = (OUTPUTS / "sysbench-composed" / "1.1.txt").read_text()


def test_each_report_of_1_0_is_a_trial() -> None:
    mixed, writing = trials(NEW)
    assert mixed.loops[0].metrics == {
        "read.iops": 4734.62, "write.iops": 3156.41, "sync.iops": 317.13,
        "read.bandwidth": 73.98 * 2**20, "write.bandwidth": 49.32 * 2**20,
    }  # fmt: skip
    assert mixed.loops[0].metrics["read.iops"] * 16384 == pytest.approx(
        mixed.loops[0].metrics["read.bandwidth"], abs=mixed.steps["read.bandwidth"] + 16384 * 0.005
    )
    assert mixed.options == {
        "rw": "randrw", "bs": 16384, "size": 2**26, "numjobs": 1, "iodepth": 1,
    }  # fmt: skip
    assert mixed.details["latency_max"] == pytest.approx(31.71e-3)
    assert mixed.details["latency_p95"] == pytest.approx(0.01e-3)
    assert mixed.details["latency_sum"] == pytest.approx(1.99183)
    assert (mixed.details["files"], mixed.details["fsync_after"]) == (4, 100)
    assert (mixed.details["read_write_ratio"], "read_write_ratio" in writing.details) == (
        1.5,
        False,
    )
    assert mixed.details["thread_events_mean"] == 16535
    assert mixed.details["thread_time_mean"] == pytest.approx(1.9918)
    assert (mixed.version, mixed.elapsed) == ("1.0.20", (2.0144,))
    assert (writing.options["rw"], writing.options["numjobs"]) == ("write", 2)
    assert "write.latency.mean" not in writing.loops[0].metrics  # its fsyncs are among them
    assert writing.details["latency_p99"] == pytest.approx(0.61e-3)


def test_counts_of_0_4_over_its_seconds() -> None:
    (trial,) = trials(OLD)
    metrics = trial.loops[0].metrics
    assert metrics["read.iops"] + metrics["write.iops"] == 400  # as "Requests/sec executed" says
    assert metrics["read.bandwidth"] + metrics["write.bandwidth"] == 6.25 * 2**20
    assert metrics["sync.iops"] == 512
    assert (trial.details["event_time"], trial.details["files"]) == (88.4021, 128)
    assert trial.details["latency_mean"] == pytest.approx(8.84e-3)
    assert (trial.host, trial.version) == ("db3", "0.4.12")
    assert trial.command.startswith("sysbench --test=fileio")
    assert trial.options["size"] == 2**31


def test_what_a_test_was_asked_for_and_did() -> None:
    (old,), (new,) = trials(OLD), trials(NEXT)
    done = cast("dict[str, int]", old.details["operations"])
    assert done["read"] + done["write"] + done["other"] == done["total"] == 22800
    amounts = cast("dict[str, float]", old.details["bytes"])
    assert amounts["read"] == done["read"] * 16384
    assert old.details["file_size"] == 2 * 2**30 // 128
    assert old.details["random_requests"] == 10000
    assert (new.details["open_flags"], new.details["io_mode"]) == (
        "directio", "synchronous I/O mode",
    )  # fmt: skip
    assert new.details["file_size"] == 128 * 2**20
    assert (new.details["requests_asked"], new.details["fsync_at_end"]) == (0, "Enabled")


def test_reads_alone_have_their_latency() -> None:
    (trial,) = trials(NEXT)
    assert trial.loops[0].metrics == pytest.approx({
        "read.iops": 9216, "read.bandwidth": 36 * 2**20, "read.latency.min": 50e-6,
        "read.latency.mean": 110e-6, "read.latency.max": 4.71e-3, "read.latency.p95": 170e-6,
    })  # fmt: skip
    assert trial.options["direct"] is True


@pytest.mark.parametrize("text", [NEW.split("\n\nsysbench")[0], OLD, NEXT])
def test_every_shape(text: str) -> None:
    expected = dict(trials(text)[0].loops[0].metrics)
    for shape, changed in mangled(text):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == [expected], shape


def test_figures_alone() -> None:
    (trial,) = trials(NEW[NEW.index("File operations") : NEW.index("Threads fairness")])
    assert trial.loops[0].metrics["write.iops"] == 3156.41


def test_figures_after_1_0_alone_are_not_taken_for_fio() -> None:
    (trial,) = trials(NEXT[NEXT.index("Throughput") :])
    assert (trial.tool, trial.loops[0].metrics["read.iops"]) == ("sysbench", 9216)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (NEW[: NEW.index("File operations")], "no figures follow"),
        (
            NEW[NEW.rindex("File op") :]
            .replace("74392.60", "0.00")
            .replace("1162.38", "0.00")
            .replace("2980.03", "0.00"),
            "its requests per second are all zero",
        ),
        (OLD[: OLD.index("  400.00")], "how long it took is cut off"),
    ],
)
def test_what_is_cut_off(text: str, reason: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == reason


@pytest.mark.parametrize(
    "text",
    [
        'log_text(LOG_NOTICE, "Extra file open flags: %s%s%s%s",\n',
        '           "File operations:\\n"\n           "    reads/s:  %4.2f\\n"\n',
        "It prints the line File operations: and below it the rates.\n",
        "Operations performed: backup of node 3, restart of node 4\n",
    ],
)
def test_source_and_prose(text: str) -> None:
    assert read(text) == []


def test_a_line_of_fio_is_not_taken_for_sysbench() -> None:
    text = "without the patch\nwrite: IOPS=68.0k, BW=266MiB/s (279MB/s)(15.6GiB/60001msec)\n"
    assert [entry.tool for entry in read(text)] == ["fio"]


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("--file-extra-flags=direct --max-time=300", {"direct": True, "runtime": 300}),
        ("--file-extra-flags=dsync --time=60", {"sync": "dsync", "runtime": 60}),
        ("--file-extra-flags=sync,direct", {"direct": True, "sync": "sync"}),
        ("--time=0 --file-extra-flags=", {}),
        ("--time=$T --report-time=5 --warmup-time=7", {}),
    ],
)
def test_what_its_command_asks_for(flags: str, options: dict[str, object]) -> None:
    report = (
        "Threads started!\n\nFile operations:\n    reads/s:                      100.00\n"
        "    writes/s:                     50.00\n    fsyncs/s:                     10.00\n\n"
        "Throughput:\n    read, MiB/s:                  1.56\n"
        "    written, MiB/s:               0.78\n"
    )
    (trial,) = trials(f"root@db1:~# sysbench fileio {flags} run\n{report}")
    given = {name: trial.options.get(name) for name in ("direct", "sync", "runtime")}
    assert {name: value for name, value in given.items() if value is not None} == options
