"""xfs_io and filebench. Oracle: figures that agree with each other, and the real xfs_io."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs"
MOVED = (OUTPUTS / "xfsprogs-6.1" / "xfs_io.txt").read_text()
FLOWS = (OUTPUTS / "filebench-composed" / "both.txt").read_text()


def test_what_each_command_of_xfs_io_moved() -> None:
    whole, few, third = counters(MOVED)
    assert [row.values["moved"] for row in (whole, few, third)] == ["wrote", "read", "read"]
    assert (whole.values["bytes"], whole.values["operations"]) == (8 << 20, 128)
    assert (few.values["bytes"], few.values["asked"]) == (100, 100)
    assert (third.values["bytes"], third.values["operations"]) == (3_000_000, 733)
    for row in (whole, few, third):
        bytes_, rate, calls, iops = (
            float(str(row.values[name])) for name in ("bytes", "bandwidth", "operations", "iops")
        )
        assert rate / bytes_ == pytest.approx(iops / calls, rel=2e-3)


def test_a_long_one_is_timed_in_hours() -> None:
    text = MOVED.replace("8 MiB, 128 ops; ", "8 MiB, 128 ops; 1:02:03.50 (").split("\n")
    text[1] = "8 MiB, 128 ops; 1:02:03.50 (2.2 KiB/sec and 0.0344 ops/sec)"
    assert counters("\n".join(text))[0].values["seconds"] == 3723.5


@pytest.mark.parametrize(("shape", "text"), [*mangled(MOVED, wraps=False)])
def test_xfs_io_in_any_shape(shape: str, text: str) -> None:
    assert [row.values for row in counters(text)] == [row.values for row in counters(MOVED)], shape


@pytest.mark.skipif(not shutil.which("xfs_io"), reason="needs xfs_io")
def test_the_real_xfs_io(tmp_path: Path) -> None:
    out = subprocess.run(
        ["xfs_io", "-f", "-c", "pwrite -b 4k 4k 40k", str(tmp_path / "file")],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    (row,) = counters(out)
    assert (row.values["bytes"], row.values["offset"], row.values["operations"]) == (
        (tmp_path / "file").stat().st_size - 4096, 4096, 10,
    )  # fmt: skip


def test_filebench_old_and_new() -> None:
    new, old = counters(FLOWS)
    assert new.command == "filebench -f varmail.f"
    assert new.values["operations"] == 547_670
    assert new.values["bandwidth"] == pytest.approx(160.2 * 2**20)
    assert new.values["readfile1.latency.max"] == pytest.approx(0.12245)
    rows = [value for name, value in new.values.items() if name.endswith("1.iops")]
    assert rows == [3042.0, 3042.0]
    assert old.values["writefile1.cpu.mean"] == pytest.approx(120e-6)
    assert (old.values["reads"], old.values["writes"]) == (0, 1056)
    assert old.values["latency.mean"] == pytest.approx(3.9e-3)


@pytest.mark.parametrize(("shape", "text"), [*mangled(FLOWS, wraps=False)])
def test_filebench_in_any_shape(shape: str, text: str) -> None:
    sums = [row.values["iops"] for row in counters(text)]
    assert sums == [9126.0, 2112.0], shape


@pytest.mark.parametrize("text", [
    "it wrote 4096/4096 bytes at offset 0 and then hung\n",
    "IO Summary: far fewer ops/s than before\n",
    "deletefile1 took 3 ms/op on my disk\n",
])  # fmt: skip
def test_prose_about_them(text: str) -> None:
    assert [entry for entry in read(text) if not isinstance(entry, Unread)] == []
