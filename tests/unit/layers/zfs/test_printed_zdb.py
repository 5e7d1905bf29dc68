"""`zdb -C`, `zdb -l`. Oracle: identities of the sample count on in the order of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "zfs-composed" / "zdb.txt").read_text()
TOOLS = ("zdb", "zdb ashift")


def _things(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(thing.name, dict(thing.values)) for thing in subjects_in(text, *TOOLS)]


def test_a_tree_with_the_names_of_zpool_status() -> None:
    things = subjects_in(TEXT, "zdb")
    assert [thing.name for thing in things] == [
        "reed", "raidz1-0", "wwn-0x5000c5000000aa14", "replacing-1", "sdc", "nvme1n1", "sdd3",
        "sde", "newt", "mirror-0", "sdf1", "sdg1", "sdf1",
    ]  # fmt: skip
    assert {thing.host for thing in things} == {"heron"}
    by_name = {thing.name: thing.values for thing in things}
    assert by_name["raidz1-0"]["block_size"] == 4096
    assert by_name["raidz1-0"]["parity"] == 1
    assert by_name["replacing-1"]["part_of"] == by_name["nvme1n1"]["part_of"] == "raidz1-0"
    assert by_name["sdc"]["not_present"] is True
    assert by_name["sdd3"]["offline"] is True
    assert by_name["sde"]["use"] == "logs"
    assert by_name["sde"]["block_size"] == 512
    assert "part_of" not in by_name["sde"]
    assert by_name["reed"] == {
        "spa_version": "5000", "txg": "90210", "pool_guid": "7310000000000000001",
        "last_host": "heron",
    }  # fmt: skip


def test_lists_within_a_device_are_nothing_of_it() -> None:
    text = TEXT.replace(
        "                    offline: 1\n",
        "                    vdev_enc:\n                        guid: 1\n"
        "                        removed: 1\n                    offline: 1\n",
    )
    assert _things(text) == EXPECTED


def test_labels() -> None:
    disk = subjects_in(TEXT, "zdb")[-1]
    assert (disk.kind, disk.values) == ("disk", {"zfs_labels": 2, "failed_labels": 2})
    newt = next(thing for thing in subjects_in(TEXT, "zdb") if thing.name == "newt")
    assert newt.values["label_state"] == "exported"


def test_labels_of_a_device_without_any() -> None:
    lines = "".join(f"failed to unpack label {number}\n" for number in range(4))
    assert _things(f"# zdb -l /dev/sdz\n{lines}") == [
        ("sdz", {"zfs_labels": 0, "failed_labels": 4})
    ]


def test_four_labels_are_one_pool() -> None:
    label = TEXT.split("zdb -l /dev/sdf1\n")[1].split("    labels = ")[0]
    four = "# zdb -l /dev/sdf1\n" + "".join(
        label.replace("LABEL 0", f"LABEL {number}") for number in range(4)
    )
    assert [name for name, _ in _things(four)] == ["newt", "mirror-0", "sdf1", "sdg1"]


def test_what_grep_chose() -> None:
    mixed, whole = subjects_in(TEXT, "zdb ashift")
    assert (mixed.name, mixed.values) == ("reed", {"groups": 2, "block_sizes": "4096 512"})
    assert (whole.name, whole.values) == ("newt", {"groups": 1, "block_size": 8192})
    assert unread_in("# zdb -C reed | grep ashift\n    ashift: 0\n")
    assert not subjects_in("an ashift of your own:\nashift: 12\n", *TOOLS)


def test_without_margins_nothing_is_said() -> None:
    flat = "\n".join(line.strip() for line in TEXT.split("root@heron:~# zdb -l")[0].split("\n"))
    assert not subjects_in(flat, *TOOLS)
    assert unread_in(flat)


EXPECTED = _things(TEXT)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_mangled(shape: str, text: str) -> None:
    assert _things(text) == EXPECTED, shape
