"""`gpart show`. Oracle: geom_part.c; partitions and gaps fill the table from end to end."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/gpart.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {thing.name: dict(thing.values) for state in states(text) for thing in state.subjects}


def test_tables_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        assert list(named) == ["ada0", "ada0p1", "ada0p2", "ada0p3", "da1", "da1s1"], shape
        sectors = sum(int(str(named[f"ada0p{n}"]["sectors"])) for n in (1, 2, 3)) + 984 + 2056
        assert sectors == named["ada0"]["usable_sectors"] == 976773088, shape
        assert named["ada0"]["free_sectors"] == 984 + 2056, shape
        assert (named["ada0"]["free_areas"], named["ada0"]["largest_free_sectors"]) == (2, 2056)
        assert named["ada0"]["largest_free_printed"] == "1.0M", shape
        assert "free_sectors" not in named["da1"], shape
        assert named["ada0p3"]["type"] == "freebsd-zfs", shape
        assert named["ada0p1"]["attributes"] == "bootme", shape
        assert named["da1"]["partition_table_state"] == "corrupt", shape
        assert "partition_table_state" not in named["ada0"], shape


def test_names_of_devices_and_slices() -> None:
    text = (
        "=>     0  41942977  da1s1  BSD  (20G)\n       0  4194304      1  freebsd-ufs  (2.0G)\n"
        " 4194304  37748673      4  freebsd-ufs  (18G)\n\n"
        "=>      34  2097084  md0  GPT  (1.0G)\n        34  2097084  md0p1  freebsd-ufs  (1.0G)\n"
    )
    assert list(things(text)) == ["da1s1", "da1s1a", "da1s1d", "md0", "md0p1"]


def test_labels_with_blanks() -> None:
    text = (
        "# gpart show -l da7\n=>       40  20971440  da7  GPT  (10G)\n"
        "         40      1024    1  EFI System  [bootme]  (512K)\n"
        "       1064   2097152    2  (null)  (1.0G)\n"
    )
    named = {s.name: s.values for state in states(text) for s in state.subjects}
    assert (named["da7p1"]["label"], named["da7p1"]["attributes"]) == ("EFI System", "bootme")
    assert named["da7p2"]["sectors"] == 2097152
    assert "type" not in named["da7p1"]


def test_a_partition_outside_of_its_table_and_prose_are_none() -> None:
    broken = things(TEXT.replace("4196352  972574720", "4196352  982574720"))
    assert list(broken) == ["ada0", "ada0p1", "ada0p2", "da1", "da1s1"]
    assert read("=> so I chose GPT (not MBR (which is old)).\n") == []
