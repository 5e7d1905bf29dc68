"""`camcontrol devlist`: a disk a row, named by the driver that is one of disks."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/devlist.txt").read_text()


def test_disks_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        disks = {disk.name: disk.values for state in states(given) for disk in state.subjects}
        assert list(disks) == ["da0", "da1"], shape
        assert disks["da1"] == {
            "bus": 0, "target": 11, "lun": 0, "model": "ATA ACME X4000", "firmware": "0A83",
            "adapter": "mps0",
        }, shape  # fmt: skip


def test_rows_alone_and_what_is_none() -> None:
    row = "<ACME NVME 2TB 2B2QEXM7>  at scbus9 target 0 lun 1 (pass4,nda0)\n"
    (state,) = states(row)
    assert [(disk.name, disk.values["firmware"]) for disk in state.subjects] == [
        ("nda0", "2B2QEXM7")
    ]
    assert "adapter" not in state.subjects[0].values
    assert read("It hangs at scbus0 target 3, I think.\n") == []
    assert read("da0 at mps0 bus 0 scbus0 target 1 lun 0\n") == []
