"""findmnt with columns of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "findmnt-composed"
TREE = (SAMPLES / "tree.txt").read_text()
IDS = (SAMPLES / "ids.txt").read_text()
PAIRS = (SAMPLES / "pairs.txt").read_text()
BARE = (SAMPLES / "bare.txt").read_text()


def test_a_tree_in_every_shape() -> None:
    for shape, given in mangled(TREE, wraps=False):
        (state,) = states(given)
        assert state.tool == "findmnt", shape
        names = [(subject.kind, subject.name) for subject in state.subjects]
        assert names == [
            ("xfs", "/"), ("tmpfs", "/dev/shm"), ("ext4", "/boot"), ("xfs", "/srv"),
            ("ext4", "/srv/old-data"),
        ], shape  # fmt: skip
        root, memory, boot, bulk, old = (subject.values for subject in state.subjects)
        assert (root["label"], root["used_share"], root["logbufs"]) == ("system", 0.36, "8"), shape
        assert root["size"] == round(59.6 * 2**30)
        assert (memory["used"], memory["available"]) == (0, round(7.8 * 2**30))
        assert "label" not in boot
        assert str(boot["uuid"]).startswith("0d4e6a18")
        assert bulk["used"] == round(9.1 * 2**40)
        assert old["ro"] is True
        assert old["size"] == 2 * 2**40


def test_mount_points_in_the_middle_and_numbers() -> None:
    for shape, given in mangled(IDS, wraps=False):
        (state,) = states(given)
        root, home, plant = state.subjects
        assert (root.values["mount_id"], root.values["parent_mount_id"]) == (27, 1), shape
        assert home.name == "/home"
        assert (home.values["ro"], home.values["root"]) == (True, "/@home")
        assert "rw" not in home.values, "the mount is read-only, if its file system is not"
        assert plant.values["propagation"] == "private,slave"
        assert (plant.values["device_number"], plant.values["stripe"]) == ("8:161", "96")


def test_pairs_also_with_names_for_shells() -> None:
    for shape, given in mangled(PAIRS):
        (state,) = states(given)
        var, tank = state.subjects
        assert (var.name, var.values["inodes"], var.values["inodes_used"]) == (
            "/var", 3276800, 81432,
        ), shape  # fmt: skip
        assert var.values["size"] == 52521566208
        assert (tank.values["inodes_free"], tank.values["inodes_used_share"]) == (910404, 0.01)
        assert tank.values["device_number"] == "0:52"


def test_without_a_head_the_command_names_the_columns() -> None:
    first, second = states(BARE)
    (ledger,) = first.subjects
    assert (ledger.kind, ledger.name) == ("xfs", "/mnt/ledger")
    assert ledger.values == {"device": "/dev/sdt2", "size": round(3.6 * 2**40)}
    assert [(subject.name, subject.values["uuid"]) for subject in second.subjects] == [
        ("/", "3f7e21d8-60bc-4a95-8d10-e4c97ab25f16"),
        ("/boot", "c5908a3e-d714-42f9-b6e2-1a0d7f83c94b"),
    ]


def test_a_path_below_a_mount_point_names_none() -> None:
    """-T takes any path: which file system it is on cannot be known from it."""
    assert not states("$ findmnt -no SIZE -T /srv/a/b\n2T\n")


def test_json_with_other_columns() -> None:
    (state,) = states((SAMPLES / "bytes.json").read_text())
    (cold,) = state.subjects
    assert (cold.kind, cold.name, cold.values["size"]) == ("ext4", "/cold", 3936818806784)
    assert (cold.values["used"], cold.values["used_share"]) == (1207959552, 0.01)
    assert (cold.values["device_number"], cold.values["mount_id"]) == ("8:113", 88)


@pytest.mark.parametrize("text", [
    "TARGET SOURCE\nfirst second\n",
    "TARGET SIZE\n/data much\n",
    "The TARGET is /srv and its SIZE is 4T.\n",
    'TARGET="/opt/firmware" VERSION="3.1"\n',
    "$ findmnt -no SOURCE,SIZE /srv\nno such mount here\n",
    "$ findmnt --noheadings /srv\n/srv xyz\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not any(state.tool == "findmnt" for state in states(text))


def test_a_torn_row_is_said_and_the_rest_read() -> None:
    torn = TREE.replace("14.6T   9.1T", "14.6T   9.?T")
    (state,) = states(torn)
    names = [subject.name for subject in state.subjects]
    assert names == ["/", "/dev/shm", "/boot", "/srv/old-data"]
    assert [output.reason[:9] for output in read(torn) if isinstance(output, Unread)] == [
        "its cells"
    ]


def test_a_mount_point_with_a_blank_ends_nothing() -> None:
    head = "TARGET           SOURCE     SIZE USED\n"
    rows = "/mnt/red oak     /dev/sdb1   10G   1G\n/mnt/elm         /dev/sdc1   20G   4G\n"
    assert [mount.name for mount in states(head + rows)[0].subjects] == ["/mnt/elm"]
    (unread,) = (output for output in read(head + rows) if isinstance(output, Unread))
    assert unread.place.first_line == 2
    (state,) = states(
        'TARGET="/mnt/red oak" SOURCE="//nas/Old Files" SIZE="10G"\n'
        'TARGET="/mnt/elm" SOURCE="/dev/sdc1" SIZE="20G"\n'
    )
    assert [mount.name for mount in state.subjects] == ["/mnt/red oak", "/mnt/elm"]


def test_options_without_a_type_are_said() -> None:
    (state,) = states("TARGET  SIZE OPTIONS\n/srv     20G ro,relatime\n")
    assert state.subjects[0].values == {"size": 20 << 30, "ro": True, "relatime": True}


def test_a_row_whose_cells_do_not_fit_is_said_to_be_unread() -> None:
    rows = "TARGET  SIZE  USED USE%\n/srv     20G    4G  20%\n"
    (state,) = states(f"{rows}/home    10G    1G  10%\n")
    assert [mount.name for mount in state.subjects] == ["/srv", "/home"]
    text = f"{rows}/home          1G\n"
    assert [mount.name for mount in states(text)[0].subjects] == ["/srv"]
    (unread,) = (output for output in read(text) if isinstance(output, Unread))
    assert (unread.place.first_line, unread.reason[:9]) == (3, "its cells")
    assert len(read(f"{rows}/home is where I keep my things\n")) == 1


@pytest.mark.parametrize(
    ("printed", "device"),
    [
        ("Output/dev/vdb1", "/dev/vdb1"), ("/dev/vdb1", "/dev/vdb1"),
        ("Outputs/dev/vdb1", "Outputs/dev/vdb1"),
    ],
)  # fmt: skip
def test_the_word_above_an_output_is_no_part_of_a_device(printed: str, device: str) -> None:
    given = f"    cat /proc/mounts | grep ' / '\n\n    {printed} / ext4 rw,relatime,quota 0 0\n"
    (thing,) = [each for state in states(given) for each in state.subjects]
    assert thing.values["device"] == device
