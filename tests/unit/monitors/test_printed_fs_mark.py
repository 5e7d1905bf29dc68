"""fs_mark. Oracle: counts grow by what a round makes, min ≤ avg ≤ max, fs_mark.c's printf."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "fs-mark-composed"
SHORT, LONG = ((OUTPUTS / f"{name}.txt").read_text() for name in ("fs_mark", "fs_mark-v"))
ROWS = SHORT.partition("FSUse%")[2].partition("\n")[2]


def _values(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, "fs_mark")]


def test_what_was_run() -> None:
    (values,) = _values(SHORT)
    assert (values["version"], values["threads"], values["io_size"]) == ("3.3", 8, 16384)
    assert str(values["sync_method"]).startswith("NO SYNC")
    (row,) = counters(SHORT, "fs_mark")
    assert row.command.startswith("./fs_mark")


def test_each_round_makes_as_many_files() -> None:
    (values,) = _values(SHORT)
    files = values["files"]
    assert isinstance(files, list)
    assert files == [800000 * (place + 1) for place in range(len(files))]
    assert values["files_per_second"] == [98765.4, 87654.3]
    assert values["overhead"] == [7.654321, 7.654322]


def test_times_of_calls() -> None:
    (values,) = _values(LONG)
    assert [values[name] for name in ("full", "files", "size")] == [0.05, 32, 104857600]
    for call in ("creat", "write", "fsync", "sync", "close", "unlink"):
        low, mean, high = (float(str(values[f"{call}_{name}"])) for name in ("min", "avg", "max"))
        assert low <= mean <= high, call
    assert values["fsync_max"] == 0.120001


def test_long_rows_that_a_mail_broke() -> None:
    for width in (72, 78, 100):
        assert _values(folded(LONG, width))[0]["unlink_max"] == _values(LONG)[0]["unlink_max"]


def test_a_long_row_that_a_terminal_cut_is_not_read() -> None:
    cut = LONG.replace(" 104857600 ", " 1048\n57600 ")
    assert not [row for row in _values(cut) if row["size"] != 104857600]


@pytest.mark.parametrize(
    "text",
    [
        f"FSUse%        Count         Size    Files/sec     App Overhead\n{ROWS}",
        f"FSUse%        Count         Size    Files/sec     App Overhead\n......\n{ROWS}",
        f"# FSUse%        Count         Size    Files/sec     App Overhead\n{ROWS}",
        "#\tApp overhead is time in microseconds spent in the test not doing file writing related"
        f" system calls.\n\n{ROWS}",
        f"FSUse%        Count         Size    Files/sec     App Overhead\n{ROWS}\n"
        "                    Total files/sec: 186419.7\n",
    ],
)
def test_a_part_alone(text: str) -> None:
    (values,) = _values(f"It prints:\n\n{text}\n\nand ends.\n")
    assert values["files_per_second"] == [98765.4, 87654.3]


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        "The columns FSUse% Count Size Files/sec App Overhead are explained there.\n1 2 3 4.0 5\n",
        "FSUse%        Count         Size    Files/sec     App Overhead\nand nothing\n",
        "#\tSync method: none\n1 2 3 4 5\n",
    ],
)
def test_what_looks_alike_is_not_read(text: str) -> None:
    assert not _values(text)


@pytest.mark.parametrize("text", [SHORT, LONG])
def test_every_shape(text: str) -> None:
    (expected,) = _values(text)
    for shape, changed in mangled(text, wraps=False):
        (values,) = _values(changed)
        assert values == expected, shape


def test_every_break_leaves_the_rows() -> None:
    (expected,) = _values(SHORT)
    for shape, changed in mangled(SHORT):
        (values,) = _values(changed)
        assert values["files_per_second"] == expected["files_per_second"], shape
