"""Files of /sys/fs/f2fs: the figures are those that stand in the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TOOL = "/sys/fs/f2fs"
SAMPLE = (Path(__file__).parents[3] / "outputs" / "f2fs-composed" / "sysfs.txt").read_text()


def test_the_sample_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        first, other, shown = subjects_in(given, TOOL)
        assert (first.kind, first.name, other.name) == ("f2fs", "sdr1", "dm-5"), shape
        assert dict(first.values) == {
            "compr_new_inode": 3, "compr_saved_block": 12345, "compr_written_block": 67890,
            "dirty_segments": 120, "free_segments": 4500, "gc_mode": "GC_NORMAL",
            "lifetime_write_kbytes": 123456789, "features": "encryption, compression, pin_file",
            "feature_list.compression": "supported",
        }  # fmt: skip
        assert dict(other.values) == {"free_segments": 77}
        assert (shown.name, dict(shown.values)) == ("dm-5", {"dirty_segments": 9})


@pytest.mark.parametrize(
    "near_miss",
    [
        "See /sys/fs/f2fs/sdr1/compr_saved_block: it counts saved blocks.",
        "What:\t\t/sys/fs/f2fs/<disk>/unusable",
        "# echo 1 > /sys/fs/f2fs/sdr1/gc_urgent",
        "# cat /sys/fs/f2fs/sdr1/dirty_segments\n\nThat is all.",
        "# cat /sys/fs/f2fs/sdr1/dirty_segments\n# uptime",
    ],
)
def test_what_looks_alike(near_miss: str) -> None:
    assert subjects_in(near_miss, TOOL) == []
