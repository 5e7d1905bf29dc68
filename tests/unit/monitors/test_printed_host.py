"""perf and rsync. Oracle: figures that agree with each other."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
PERF, RSYNC = ((OUTPUTS / f"{name}.txt").read_text() for name in ("perf", "rsync"))


def test_symbols_and_counts_of_perf() -> None:
    report, top, stat = counters(PERF)
    symbols = cast("list[dict[str, object]]", report.values["symbols"])
    assert [(row["share"], row["self"], row["kernel"]) for row in symbols] == [
        (0.8, 0.0, True), (0.255, 0.2025, True), (0.0475, 0.0475, False),
    ]  # fmt: skip
    assert symbols[2]["symbol"] == "get_io_u"
    (first, _) = cast("list[dict[str, object]]", top.values["symbols"])
    assert (first["where"], first["self"]) == ("[kernel]", None)
    values = stat.values
    assert values["of"] == "'system wide'"
    clock, elapsed = cast("float", values["cpu-clock"]), cast("float", values["elapsed"])
    assert clock / elapsed == pytest.approx(4, rel=1e-3)
    assert cast("float", values["context-switches"]) / clock == pytest.approx(1_500, rel=1e-3)
    assert values["cycles"] == 4e9
    assert (values["cycles.rate"], values["cycles.measured"]) == (5e8, 0.5)
    assert values["cpu-clock.cpus_utilized"] == 4
    rate = cast("float", values["context-switches.rate"])
    assert rate == pytest.approx(cast("float", values["context-switches"]) / clock, rel=1e-3)


@pytest.mark.parametrize(("line", "name", "figure"), [
    ("  2,000,000,000      instructions  #    0.50  insn per cycle   ( +-  0.25% )  (80.00%)",
     "instructions.insn_per_cycle", 0.5),
    ("  2,000,000,000      instructions  #    0.50  insn per cycle   ( +-  0.25% )  (80.00%)",
     "instructions.deviation", 0.0025),
    ("     30,000,000      branch-misses  #    3.00% of all branches",
     "branch-misses.of_all_branches", 0.03),
    ("         12,000      page-faults  #    0.006 M/sec", "page-faults.rate", 6000),
    ("         12,000      page-faults  #  6.00 of my own words", "", 0),
])  # fmt: skip
def test_what_stands_behind_a_count(line: str, name: str, figure: float) -> None:
    (row,) = counters(f" Performance counter stats for 'a':\n\n{line}\n")
    beside = {key: value for key, value in row.values.items() if "." in key}
    assert beside == {} if not name else beside[name] == figure


def test_a_dot_may_part_thousands() -> None:
    text = "Performance counter stats for 'a':\n\n      12.000      context-switches\n"
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == "no count follows"


def test_rate_of_rsync_is_what_moved_over_the_time() -> None:
    (row,) = counters(RSYNC)
    values = cast("dict[str, float]", row.values)
    assert (values["sent"] + values["received"]) / 20 == pytest.approx(values["bandwidth"])
    assert (values["transferred_files"], values["size"]) == (1_400, 2_000_000_000)
    assert counters("sent 1.90G bytes  received 25.0K bytes  95.03M bytes/sec\n") == []


@pytest.mark.parametrize("text", [
    *PERF.split("\n\n")[:2], RSYNC.split("\n\n", 1)[1],
])  # fmt: skip
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        rows = [(row.name, dict(row.values)) for row in counters(changed)]
        assert rows == expected, shape


@pytest.mark.parametrize("text", [
    "The symbol [k] means the kernel, [.] a program.\n",
    "Number of files: many\n",
    "We sent 5 bytes  received none\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text) == []


def test_top_says_the_memory_below_however_many_processors() -> None:
    head = (
        "top - 11:50:19 up 3 days, 16:55,  1 user,  load average: 4.33, 3.94, 3.86\n"
        "Tasks: 294 total,   5 running, 289 sleeping,   0 stopped,   0 zombie\n"
    )
    cpu = "%Cpu{:<3}:  1.0 us,  0.8 sy,  0.0 ni, 98.2 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
    rest = "KiB Mem:  99197352 total, 51119700 used, 48077652 free,   797228 buffers\n"
    made = counters(head + "".join(cpu.format(n) for n in range(64)) + rest)
    assert len(made) == 65
    assert made[0].values["memory_total"] == 99197352 * 1024


def test_dstat_of_memory_and_swap_alone() -> None:
    (made,) = counters(
        "$ dstat -ms 1 2\n"
        "------memory-usage----- ----swap---\n"
        " used  buff  cach  free| used  free\n"
        "3639M  385M 35.6G 55.1G|1992k 2045M\n"
        "3641M  385M 35.6G 55.1G|1992k 2045M\n"
    )
    assert made.tool == "dstat"
    assert made.values["memory_used"] == [3639 * 2**20, 3641 * 2**20]
    assert made.values["swap_used"] == [1992 * 1024] * 2
