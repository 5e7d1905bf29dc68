"""Windows' disks with several paths, and sectors. Oracle: the count of paths in the head."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "windows-composed"
PATHS, SECTORS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("mpclaim", "sectors"))


def test_disks_and_the_paths_of_one_in_every_shape() -> None:
    for shape, given in mangled(PATHS, wraps=False):
        if shape == "with blank lines":
            continue
        first, second, disk = subjects_in(given, "mpclaim")
        assert (first.name, first.values["policy"]) == ("MPIO Disk1", "RR"), shape
        assert second.values["disk"] == "PhysicalDrive3", shape
        assert disk.values["paths"] == str(disk.values["path_states"]).count(",") + 1 == 4, shape
        assert (disk.values["failed_paths"], disk.values["failed"]) == (1, "0000000077030005")


def test_paths_of_which_some_are_cut_off_are_not_counted() -> None:
    (*_, disk) = subjects_in(PATHS.partition("0000000077030004")[0], "mpclaim")
    assert disk.values["paths"] == 4
    assert "failed_paths" not in disk.values


def test_sectors_below_a_volume() -> None:
    (volume,) = subjects_in(SECTORS)
    assert (volume.kind, volume.name) == ("mount", "C:")
    assert volume.values["logical_block_size"] == 512
    assert volume.values["physical_block_size"] == 4096
    assert volume.values["trim"] is True


def test_what_is_none() -> None:
    assert not subjects_in("MPIO Disk0 is the first of four.\n")
    assert not subjects_in("MPIO Disk0: it has four paths\n")
