"""Tables of results in Markdown. Oracle: the cells themselves, in the units of their heads."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.loads.table_settings import setting_in
from iosonde.text.find import FoundOutput
from tests.mangle import counters, mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs" / "commands-composed" / "tables.md").read_text()


def test_rows_and_columns_are_trials() -> None:
    every = trials(TEXT)
    said = [(trial.label, dict(trial.loops[0].metrics)) for trial in every]
    assert said[:4] == [
        ("4k randread QD32 · warm · Old disk", {"read.iops": 12_500}),
        ("4k randread QD32 · warm · New disk", {"read.iops": 48_200}),
        ("4k randwrite QD32 · Old disk", {"write.iops": 8_100}),
        ("4k randwrite QD32 · New disk", {"write.iops": 31_000}),
    ]
    assert [trial.options.get("rw") for trial in every[:4]] == ["randread"] * 2 + ["randwrite"] * 2
    assert every[1].steps == {"read.iops": 50}
    label, volume = said[4]
    assert label == "gp3"
    assert volume == pytest.approx({
        "read.bandwidth": 125e6, "write.bandwidth": 119.5 * 2**20,
        "read.latency.mean": 0.75e-3, "read.latency.p99_9": 2.1e-3,
    })  # fmt: skip
    assert said[6:] == [
        ("sequential read", {"read.bandwidth": 1.2e9}), ("random write", {"write.iops": 15_500}),
        ("seq write", {"write.iops": 1_500}),
    ]  # fmt: skip


def test_a_table_in_doubt_is_kept_as_it_stands_there() -> None:
    kept = [entry.counters for entry in read(TEXT) if isinstance(entry, FoundOutput)]
    tables = [counters[0].values for counters in kept if counters]
    assert len(tables) == 2
    for values in tables:
        columns, rows = values["columns"], values["rows"]
        assert isinstance(columns, list)
        assert isinstance(rows, list)
        assert all(isinstance(row, list) and len(row) == len(columns) for row in rows)


GRID = """\
|------+-------------------+------------------|
| Test | Before            | After            |
|------+-------------------+------------------|
| a    | 1475.5 files/s    | 4309.5 files/s   |
|      | 24.5 MB/s         | 61.5 MB/s        |
|------+-------------------+------------------|
| b    | 8.5 MB/s          | 11.5 MB/s        |
|------+-------------------+------------------|
"""


@pytest.mark.parametrize("text", [
    GRID,
    "bs=4k, direct=1\n\t | IOPS (IRQ mode) | IOPS (polled) |\n"
    "---- | --------- | --------- |\n  dm | \t 201k |\t 271k |\n",
])  # fmt: skip
def test_tables_that_name_no_direction(text: str) -> None:
    for shape in (text, "".join(f"> {line}\n" for line in text.splitlines())):
        (entry,) = read(shape)
        assert isinstance(entry, FoundOutput)
        assert not entry.trials
        rows = entry.counters[0].values["rows"]
        assert isinstance(rows, list)
        assert len(rows) == text.count("\n") - (5 if text == GRID else 3)


@pytest.mark.parametrize(("above", "mode"), [
    ("(ioengine=io_uring, rw=randread, bs=4k)", "randread"),
    ("2. Three threads randwrite (bs=4k) at one device:", "randwrite"),
    ("Sequential reads:", "read"), ("randread and randwrite, both", ""),
    ("rw=randrw", ""), ("It reads and writes:", ""),
])  # fmt: skip
def test_the_lines_above_say_what_a_table_is_of(above: str, mode: str) -> None:
    text = f"{above}\n\n" + table("| Host | IOPS (polled) |", "| a | 271k |")
    (entry,) = read(text)
    assert isinstance(entry, FoundOutput)
    if not mode:
        assert not entry.trials
        return
    (trial,) = entry.trials
    assert trial.loops[0].metrics == {f"{mode.removeprefix('rand')}.iops": 271e3}
    assert trial.options == {"rw": mode}


def test_a_row_that_names_both_ways_is_of_none() -> None:
    text = "rw=randread\n\n" + table("| Test | IOPS |", "| read/write | 12 |", "| a | 13 |")
    assert [trial.label for trial in trials(text)] == ["a"]


GROUPED = """\
x------------x---------------------x---------------------x
| IOdepth    |          8          |         16          |
x------------x---------------------x---------------------x
|            |  KIOPS   |BW(MiB/s) |  KIOPS   |BW(MiB/s) |
x------------x---------------------x---------------------x
| Before     |  512     |  2000    |   640    |  2500    |
x------------x---------------------x---------------------x
"""
PLAIN = """\
              | iops           | cpu  | bw
-----------------------------------------------
without patch | 1.5M           | ~50% | 6.0GB/s
with patch    | 2M (throttled) | 0%   | 16GB/s (throttled)
"""


@pytest.mark.parametrize(("text", "rows"), [(GROUPED, 1), (PLAIN, 2)])
def test_grids_of_other_corners_and_dashes_without_bars(text: str, rows: int) -> None:
    (entry,) = read(text)
    assert isinstance(entry, FoundOutput)
    values = entry.counters[0].values
    assert isinstance(values["rows"], list)
    assert len(values["rows"]) == rows
    assert isinstance(values["columns"], list)
    assert [name.lower() for name in map(str, values["columns"])][1] in {"kiops", "iops"}


def test_dashes_below_a_sentence_are_no_table() -> None:
    assert not list(read("We saw 12 IOPS | more\n--------------------\nand 13 | later\n"))


def test_figures_with_a_decimal_comma() -> None:
    (trial,) = trials(table("| Test | Write MiB/s | Write IOPS |", "| a | 1.859,75 | 119.024,5 |"))
    assert trial.loops[0].metrics == {
        "write.bandwidth": 1859.75 * 2**20, "write.iops": 119024.5,
    }  # fmt: skip
    (plain,) = trials(table("| Test | Write IOPS |", "| a | 119,024 |"))
    assert plain.loops[0].metrics == {"write.iops": 119024}


@pytest.mark.parametrize(("read_name", "write_name"), [
    ("Leitura (MB/s)", "Escrita (MB/s)"), ("Lectura (MB/s)", "Escritura (MB/s)"),
    ("Lecture (MB/s)", "Écriture (MB/s)"), ("Lesen (MB/s)", "Schreiben (MB/s)"),
    ("Lettura (MB/s)", "Scrittura (MB/s)"), ("Чтение (MB/s)", "Запись (MB/s)"),
    ("读取 (MB/s)", "写入 (MB/s)"), ("顺序读 (MB/s)", "顺序写 (MB/s)"),
])  # fmt: skip
def test_directions_in_other_languages(read_name: str, write_name: str) -> None:
    (trial,) = trials(
        table(f"| SSD | {read_name} | {write_name} |", "| SEQ1M Q8T1 | 541,73 | 513,7 |")
    )
    read_rate, write_rate = trial.loops[0].metrics.values()
    assert (read_rate, write_rate) == pytest.approx((541.73e6, 513.7e6))
    assert [*trial.loops[0].metrics] == ["read.bandwidth", "write.bandwidth"]


@pytest.mark.parametrize("name", [
    "读写 (MB/s)", "Leitura/Escrita (MB/s)", "чтение и запись (MB/s)", "Lecture hall (MB/s)",
    "写真 (MB/s)", "阅读器 (MB/s)", "записей (MB/s)",
])  # fmt: skip
def test_words_that_are_of_both_ways_or_of_none(name: str) -> None:
    assert trials(table(f"| SSD | {name} |", "| a | 541,73 |")) == []


def table(*rows: str) -> str:
    head, *rest = rows
    return "\n".join([head, "|".join(["---"] * head.count("|")), *rest]) + "\n"


@pytest.mark.parametrize("text", [
    table("| Option | Meaning |", "| --rate_iops | limits the IOPS |"),
    table("| Endpoint | Latency (ms) |", "| /read | 12 |"),
    table("| Test | Write Mb/s |", "| a | 12 |"),
    table("| Test | Write IOPS change |", "| a | 12 |"),
    table("| Test | Read/Write IOPS |", "| a | 12 |"),
    table("| Volume | Max IOPS |", "| read | 12 |"),
    table("| Test | Write IOPS |", "| a | about 12 |"),
    "The columns are | IOPS | and | MB/s |, as always.\n",
    "| IOPS | write |\n| 12 | 13 |\n",
])  # fmt: skip
def test_what_leaves_a_doubt_is_no_result(text: str) -> None:
    assert trials(text) == []


@pytest.mark.parametrize(("cell", "value"), [
    ("12,345", 12_345), ("1.5k", 1_500), ("2M", 2e6), ("~~9~~ ", 9), ("900 ± 12", 900),
    ("900 (+3 %)", 900), ("12 kIOPS", 12_000),
])  # fmt: skip
def test_cells(cell: str, value: float) -> None:
    (trial,) = trials(table("| Test | Write IOPS |", f"| a | {cell} |"))
    assert trial.loops[0].metrics == {"write.iops": value}


@pytest.mark.parametrize("cell", ["12 MB/s", "12%", "n/a", "1.2.3", "12 / 13", "5 ms", ""])
def test_cells_that_are_no_such_figure(cell: str) -> None:
    assert trials(table("| Test | Write IOPS |", f"| a | {cell} |")) == []


def test_every_shape() -> None:
    text = TEXT.split("\n\n")[2]
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        if shape == "with blank lines":
            continue  # that is no table any more
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


def test_marks_of_markdown_go_and_signs_of_names_stay() -> None:
    text = (
        "| **state** | scsi_mod.use_blk_mq=N (usec) | `IOPS` |\n|---|---|---|\n"
        "| *NEED_BUFFER* | 0.107 | ~500 |\n| 4*1TB | 0.130 | ~~600~~ |\n"
    )
    (kept,) = counters(text)
    assert kept.values == {
        "columns": ["state", "scsi_mod.use_blk_mq=N (usec)", "IOPS"],
        "rows": [["NEED_BUFFER", "0.107", "~500"], ["4*1TB", "0.130", "600"]],
    }


def test_a_row_without_its_group_is_of_the_one_above() -> None:
    text = """| Test       | Allocator | IOPS |
| ---------- | --------- | ---- |
| rand write | first     | 496  |
|            | second    | 537  |
| rand read  | first     | 810  |
|            |           | 850  |
"""
    said = [(trial.label, dict(trial.loops[0].metrics)) for trial in trials(text)]
    assert said[:3] == [
        ("rand write · first", {"write.iops": 496}), ("rand write · second", {"write.iops": 537}),
        ("rand read · first", {"read.iops": 810}),
    ]  # fmt: skip
    assert all("850" not in str(trial.loops[0].metrics) for trial in trials(text))


@pytest.mark.parametrize(
    ("test", "options"),
    [
        ("SEQ1M Q8T1", {"bs": 1 << 20, "iodepth": 8, "numjobs": 1}),
        ("SEQ1MiB (Q= 8, T= 1)", {"bs": 1 << 20, "iodepth": 8, "numjobs": 1}),
        ("RND4K Q32T16 (random)", {"bs": 4096, "iodepth": 32, "numjobs": 16}),
        ("SEQ1M Q8", {}),
        ("sequential", {}),
        ("SEQ1M Q8T1 of the old disk", {}),
    ],
)
def test_a_row_that_is_called_as_a_test_is_of_its_load(test: str, options: dict[str, int]) -> None:
    other = "RND4K Q1T1"
    text = f"| Test | Read (MB/s) | Write (MB/s) |\n|---|---|---|\n| {test} | 541.73 | 513.67 |\n"
    first, second = trials(f"{text}| {other} | 35.38 | 88.79 |\n")
    assert first.options == options
    assert second.options == {"bs": 4096, "iodepth": 1, "numjobs": 1}
    figures = {"read.bandwidth": 541.73e6, "write.bandwidth": 513.67e6}
    assert dict(first.loops[0].metrics) == pytest.approx(figures)


SIZES = """\
| 操作 | block size | 吞吐量 | IOPS |
|:---:|:---:|:---:|:---:|
| 顺序读 | 4M | 400MB/s | 95 |
| 随机写 | 4k | 8192kB/s | 2000 |
| 顺序读 | 4k | 164MB/s | 40k |
"""


def test_rows_of_other_sizes_of_requests_are_other_loads() -> None:
    made = trials(SIZES)
    assert [(trial.label, trial.options.get("bs")) for trial in made] == [
        ("顺序读 · 4M", 4 << 20), ("随机写 · 4k", 4096), ("顺序读 · 4k", 4096),
    ]  # fmt: skip
    assert made[1].loops[0].metrics == {"write.bandwidth": 8192000, "write.iops": 2000}
    assert made[1].options["rw"] == "randwrite"


def test_a_column_of_numbers_that_says_nothing_of_the_load_is_no_part_of_the_label() -> None:
    made = trials(SIZES.replace("block size", "test").replace("4M", "1").replace("4k", "2"))
    assert {trial.options.get("bs") for trial in made} == {None}
    assert made[0].label == "顺序读"


CELLS = """
| load | before | after |
| --- | --- | --- |
| 4k random write | IOPS=5928, BW=23.2MiB/s, lat=21587.15usec | IOPS=6253, BW=24.4MiB/s,lat=1.2s |
| 4k random read | bw=83571KB/s, iops=20.9k | none |
"""


def test_cells_that_hold_several_figures() -> None:
    said = [(trial.label, trial.loops[0].metrics) for trial in trials(CELLS)]
    assert said == [
        ("4k random write · before", {"write.iops": 5928.0, "write.bandwidth": 23.2 * 2**20}),
        ("4k random write · after", {"write.iops": 6253.0, "write.bandwidth": 24.4 * 2**20}),
        ("4k random read · none · before", {"read.iops": 20900.0, "read.bandwidth": 83571e3}),
    ]


SECTION = """
## {heading}

**1 thread:**

|Name|IOPS|
|-|-|
|one|1532|
|two|141|

**4 threads:**

|Name|IOPS|
|-|-|
|one|725|
|two|413|
"""


@pytest.mark.parametrize(("heading", "names"), [
    ("Sequential Write", ["write.iops"] * 4), ("Comparison", []),
])  # fmt: skip
def test_the_heading_of_several_tables_is_each_one_s(heading: str, names: list[str]) -> None:
    said = trials(SECTION.format(heading=heading))
    assert [name for trial in said for name in trial.loops[0].metrics] == names


BY_SIZE = """\
| Operation | block size | Throughput | IOPS | time |
|:---|:---:|:---:|:---:|:---:|
| seq read | 4M | 400MB/s | 95 | 1200ms |
| rand write | 4M | 200MB/s | 48 | 2400ms |
| seq read | 4k | 250MB/s | 61.0k | 1.9ms |
"""


def test_rows_that_differ_by_a_setting_of_the_load_are_loads_of_their_own() -> None:
    first, second, third = trials(BY_SIZE)
    assert [each.label for each in (first, second, third)] == [
        "seq read · 4M", "rand write · 4M", "seq read · 4k",
    ]  # fmt: skip
    assert dict(first.loops[0].metrics) == {"read.bandwidth": 400e6, "read.iops": 95}
    assert second.options == {"rw": "randwrite", "bs": 4 * 2**20}
    assert third.options == {"bs": 4096}
    assert first.details["time"] == "1200ms"  # of which nobody says what it is of


def test_a_count_names_a_row_where_nothing_else_does() -> None:
    rows = "| disks | read IOPS |\n|---|---|\n| 4 | 100 |\n| 8 | 190 |\n"
    assert [each.label for each in trials(rows)] == ["disks 4", "disks 8"]
    named = "| what | disks | read IOPS |\n|---|---|---|\n| old | 4 | 100 |\n| new | 8 | 190 |\n"
    assert [each.label for each in trials(named)] == ["old", "new"]
    deep = "| what | QD | read IOPS |\n|---|---|---|\n| old | 4 | 100 |\n| old | 8 | 190 |\n"
    assert [(each.label, each.options) for each in trials(deep)] == [
        ("old · QD 4", {"iodepth": 4}), ("old · QD 8", {"iodepth": 8}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cell", "setting"),
    [
        ("Block size", "4 KiB", ("bs", 4096)),
        ("bs", "512", ("bs", 512)),
        ("bs", "4", None),  # of what, nobody says
        ("file size", "4M", None),
        ("Threads", "8", ("numjobs", 8)),
        ("threads/s", "8", None),
        ("块大小", "1M", ("bs", 2**20)),
    ],
)
def test_columns_of_settings(name: str, cell: str, setting: tuple[str, int] | None) -> None:
    assert setting_in(name, cell) == setting


SECONDS = (
    "| Read | Write | Read IOPS | Write IOPS |\n| --- | --- | --- | --- |\n"
    "| 150 MiB/s | 20 MiB/s | 38 | 5 |\n| 310 MiB/s | 48 MiB/s | 78 | 12 |\n"
)


def test_rows_that_only_rates_tell_apart_are_no_trials() -> None:
    assert not trials(SECONDS)
    (kept,) = counters(SECONDS)
    assert kept.values["columns"][:1] == ["Read"]  # type: ignore[index]


def test_rows_with_names_beside_rates_are_trials() -> None:
    named = SECONDS.replace("| Read |", "| Pool | Read |", 1).replace("| --- |", "| --- | --- |", 1)
    named = named.replace("| 150", "| fast | 150").replace("| 310", "| slow | 310")
    assert [trial.label for trial in trials(named)] == ["fast", "slow"]
