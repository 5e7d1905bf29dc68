"""rclone's statistics. Oracle: shares of the totals as they are printed, and sizes of 1024."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs/monitors-composed/rclone.txt").read_text()


def test_both_generations_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        new, old = (row.values for row in counters(given, "rclone"))
        assert new == {
            "bytes": 2.5 * 2**30, "total_bytes": 10 * 2**30, "bandwidth": 64 * 2**20, "errors": 2,
            "errors_remark": "retrying may help", "checks": 100, "total_checks": 120,
            "deleted_files": 3, "deleted_directories": 1, "transfers": 12, "total_transfers": 48,
            "elapsed": 3723.5,
        }, shape  # fmt: skip
        assert old == {
            "bytes": 2**29, "total_bytes": 2**29, "bandwidth": 2**23, "transfers": 7,
            "total_transfers": 7, "elapsed": 64.5,
        }, shape  # fmt: skip


def test_a_rate_in_bits_and_an_unknown_share() -> None:
    text = "Transferred:   \t          0 B / 0 B, -, 0 B/s, ETA -\nElapsed time:         0.5s\n"
    (row,) = counters(text, "rclone")
    assert row.values == {"bytes": 0, "total_bytes": 0, "bandwidth": 0, "elapsed": 0.5}
    (bits,) = counters(TEXT.partition("\n\n")[0].replace("MiB/s", "Mibit/s"), "rclone")
    assert "bandwidth" not in bits.values


@pytest.mark.parametrize("text", [
    "Transferred:           12 / 48, 25%\n",  # of files alone
    "Transferred:   12 GiB of 48 GiB\n",
    "Transferred:  sent 12,400,000 bytes  received 350 bytes\n",
])  # fmt: skip
def test_what_else_was_transferred(text: str) -> None:
    assert not counters(text, "rclone")
