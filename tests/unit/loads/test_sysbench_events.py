"""sysbench's tests without files. Oracle: rates are counts over seconds, times those of threads."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "sysbench-composed"
OLTP, OLD, CPU, MEMORY, MUTEX, PREPARE = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("oltp", "oltp-0.4", "cpu", "memory", "mutex-1.1", "prepare")
)


def test_a_database_with_its_intervals() -> None:
    (run,) = counters(OLTP)
    values = run.values
    assert (run.tool, run.host, values["version"]) == ("sysbench", "db3", "1.0.20")
    assert run.command.startswith("sysbench oltp_read_write")
    assert values["transactions"] == 200 * 30
    reads, writes, others = (cast("int", values[name]) for name in ("reads", "writes", "others"))
    assert reads + writes + others == values["queries"] == 4000 * 30
    assert (values["tps"], values["qps"], values["errors"]) == (200, 4000, 2)
    assert values["latency.mean"] == pytest.approx(4 / 200)  # threads over their rate
    intervals = cast("dict[str, list[float]]", values["intervals"])
    assert intervals["at"] == [10, 20, 30]
    assert sum(intervals["tps"]) / 3 == values["tps"]
    assert intervals["reads_per_second"] == [3500, 2800, 2100]
    assert intervals["latency.p95"] == pytest.approx([21.5e-3, 28.16e-3, 41.85e-3])


def test_a_database_of_0_4() -> None:
    (run,) = counters(OLD)
    assert (run.values["tps"], run.values["transactions"]) == (500, 500 * 20)
    assert run.values["queries"] == 140000 + 50000
    assert run.values["latency.max"] == pytest.approx(0.2125)
    assert run.values["threads"] == 8
    assert run.values["event_time"] == 159.5
    assert (run.values["thread_events_mean"], run.values["thread_events_stdev"]) == (1250, 3.25)
    assert (run.values["thread_time_mean"], run.values["thread_time_stdev"]) == (19.9375, 0)


def test_cpu_memory_and_mutex() -> None:
    (cpu,), (memory,), (mutex,) = map(counters, (CPU, MEMORY, MUTEX))
    assert (cpu.values["events_per_second"], cpu.values["prime_limit"]) == (2250.5, 10000)
    assert memory.values["operations_per_second"] == 6250000
    assert memory.values["bandwidth"] == pytest.approx(6250000 * 1024, rel=1e-5)
    assert (memory.values["block_size"], memory.values["operation"]) == (1024, "write")
    assert memory.values["total_size"] == 100 << 30
    assert mutex.values["events"] == 125.5 * 8
    assert mutex.values["latency.sum"] == pytest.approx(1004 * 8e-3)


def test_what_prepare_wrote() -> None:
    (trial,) = trials(PREPARE)
    assert trial.loops[0].metrics == {"write.bandwidth": 200 << 20}
    assert trial.details["bytes"] == trial.details["size"] == 1 << 30
    assert trial.options["rw"] == "write"
    assert trial.host == "db3"
    (size,) = counters(PREPARE[: PREPARE.index("Extra")])
    assert size.values == {"files": 128, "size": 1 << 30}


def test_intervals_alone() -> None:
    files = (
        "[ 2s ] reads: 50.00 MiB/s writes: 25.00 MiB/s fsyncs: 128.50/s latency (ms,95%): 1.250\n"
        "[ 4s ] reads: 48.00 MiB/s writes: 24.00 MiB/s fsyncs: 120.00/s latency (ms,95%): 1.500\n"
    )
    old = "[  10s] threads: 16, tps: 120.50, reads/s: 1687.00, writes/s: 482.00, response time: 212.25ms (95%)\n"  # noqa: E501
    (run,) = counters(files)
    assert run.values["intervals"] == {
        "at": [2, 4], "read.bandwidth": [50 << 20, 48 << 20], "sync.iops": [128.5, 120],
        "write.bandwidth": [25 << 20, 24 << 20], "latency.p95": [1.25e-3, 1.5e-3],
    }  # fmt: skip
    (run,) = counters(old)
    assert cast("dict[str, object]", run.values["intervals"])["tps"] == [120.5]


def test_intervals_of_files_stand_with_their_report() -> None:
    report = (OUTPUTS.parent / "sysbench-1.0.20" / "two.txt").read_text().split("\n\nsysbench")[0]
    line = "[ 1s ] reads: 74.00 MiB/s writes: 49.00 MiB/s fsyncs: 317.00/s latency (ms,95%): 0.010"
    text = report.replace("Threads started!\n", f"Threads started!\n\n{line}\n")
    (trial,) = trials(text)
    assert trial.details["intervals"] == {
        "at": [1], "read.bandwidth": [74 << 20], "write.bandwidth": [49 << 20],
        "sync.iops": [317], "latency.p95": [1e-5],
    }  # fmt: skip
    assert counters(text) == []


@pytest.mark.parametrize("text", [OLTP, OLD, CPU, MEMORY, MUTEX])
def test_every_shape(text: str) -> None:
    expected = [dict(run.values) for run in counters(text)]
    assert len(expected) == 1
    for shape, changed in mangled(text):
        assert [dict(run.values) for run in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [OLTP, CPU])
def test_two_reports_in_a_row_are_two(text: str) -> None:
    assert len(counters(text + "\n" + text)) == 2
    head = text.index("sysbench 1")
    assert len(counters(text[head:] + text[head:])) == 2


def test_a_report_that_is_cut_off_says_what_is_left() -> None:
    (run,) = counters(OLTP[: OLTP.index("SQL statistics")])
    assert set(run.values) == {"threads", "version", "intervals"}
    assert not counters(CPU[: CPU.index("CPU speed")])
    assert not counters(CPU[: CPU.index("2250.50")])


@pytest.mark.parametrize("text", [
    "SQL statistics: see the page of the database\n",
    "General statistics:\n    total users: 12\n",
    "Prime numbers limit: what is it?\n",
    'log_text(LOG_NOTICE, "    events per second: %8.2f",\n',
    "I saw 12 transactions: 5 (of 8 per sec.)\n",
    "12 bytes written in 4 seconds, he said\n",
])  # fmt: skip
def test_prose_and_source(text: str) -> None:
    assert counters(text) == []
    assert trials(text) == []


def test_a_report_of_files_is_none_of_events() -> None:
    fileio = (OUTPUTS / "0.4.txt").read_text()
    tail = fileio[fileio.index("Operations performed") :]
    assert [entry.tool for entry in read(tail)] == ["sysbench"]
    assert counters(tail) == []
