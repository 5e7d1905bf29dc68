"""Options of modules in files of /etc/modprobe.d."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (
    Path(__file__).parents[3] / "outputs" / "files-composed" / "zfs.conf.txt"
).read_text()  # fmt: skip


def modules(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_options_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        assert modules(given) == {
            "zfs": {"zfs_arc_max": 17179869184, "zfs_txg_timeout": 10},
            "nvme_core": {"multipath": "N"},
            "mlx4_core": {"log_num_mtt": 24, "log_mtts_per_seg": 3},
        }, shape
    (state,) = states(TEXT)
    assert state.command == "cat /etc/modprobe.d/zfs.conf"


def test_an_echo() -> None:
    text = 'echo "options scsi_mod use_blk_mq=1" | sudo tee /etc/modprobe.d/scsi.conf\n'
    assert modules(text) == {"scsi_mod": {"use_blk_mq": 1}}


def test_prose() -> None:
    assert read("There are options zfs has that nobody knows, and options loop takes.\n") == []
