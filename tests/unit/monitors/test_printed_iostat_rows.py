"""Rows of iostat without their head. Oracle: sizes times requests are the rates."""

from __future__ import annotations

import pytest

from tests.mangle import counters, mangled

OLD = (
    "nvme0c33n1        0.00     1.20   67.23   60.80   374.07   766.41    17.82     0.00    0.08"
    "    0.09    0.07   0.05   0.58\n"
    "sdg               0.00     0.00    0.00    0.00     0.00     0.00     0.00     0.00    0.00"
    "    0.00    0.00   0.00   0.00\n"
)


def _figures(text: str) -> dict[str, dict[str, object]]:
    return {each.name: dict(each.values) for each in counters(text, "iostat")}


def test_rows_that_grep_left() -> None:
    command = "$ iostat -d -x -k 60 2 | grep -E 'nvme|sdg'\n"
    for shape, given in mangled(command + OLD, wraps=False):
        disks = _figures(given)
        assert set(disks) == {"nvme0c33n1", "sdg"}, shape
        own = disks["nvme0c33n1"]
        assert (own["read.iops"], own["write.iops"]) == (67.23, 60.8)
        assert own["write.bandwidth"] == pytest.approx(766.41 * 1024)
        assert own["await"] == pytest.approx(8e-5)
        assert own["util"] == pytest.approx(0.0058)
        assert disks["sdg"]["write.bandwidth"] == 0


@pytest.mark.parametrize(
    ("rates", "factor"), [("374.07 766.41", 1024), ("748.14 1532.82", 512), ("0.37 0.75", 1 << 20)]
)
def test_the_size_of_requests_tells_the_unit_of_the_rates(rates: str, factor: int) -> None:
    row = OLD.splitlines()[0].replace("374.07   766.41", rates)
    (own,) = _figures(f"{row}\n").values()
    assert own["write.bandwidth"] == pytest.approx(float(rates.split()[1]) * factor)


def test_columns_of_later_versions() -> None:
    newer = (
        "sda  200.00  1600.00  0.00  0.00  0.50  8.00  100.00  6400.00  2.00  1.96  1.10  64.00"
        "  0.00  0.00  0.00  0.00  0.00  0.00  {}0.21  12.30\n"
    )
    for more in ("", "3.00  0.40  "):
        (own,) = _figures(newer.format(more)).values()
        assert (own["read.iops"], own["write.iops"], own["queue"]) == (200, 100, 0.21)
        assert own["write.bandwidth"] == 6400 * 1024
        assert own.get("flush.iops") == (3 if more else None)
    middle = (
        "dm-0  200.00  100.00  1.56  6.25  0.00  2.00  0.00  1.96  0.50  1.10  0.21  8.00  64.00"
        "  0.41  12.30\n"
    )
    (own,) = _figures(middle).values()
    assert own["read.bandwidth"] == pytest.approx(1.56 * 2**20)


@pytest.mark.parametrize("text", [
    OLD.splitlines()[1] + "\n",  # of what its rates would be, nothing tells
    OLD.splitlines()[0].replace("17.82", "99.00") + "\n",
    OLD.splitlines()[0].replace("0.58", "") + "\n",
    OLD.replace("nvme0c33n1", "all").replace("sdg", "any"),
])  # fmt: skip
def test_figures_that_do_not_fit_are_none(text: str) -> None:
    assert not _figures(text)
