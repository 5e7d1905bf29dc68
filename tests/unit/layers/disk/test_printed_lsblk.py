"""lsblk as tree, list, pairs and JSON: all of them say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "lsblk-2.38"


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(subject.kind, subject.name): dict(subject.values) for subject in subjects_in(given)}


def test_every_device_is_there_once_with_all_it_stands_on() -> None:
    values_by_thing = values_of(text("lsblk.txt"))
    names = {line.lstrip("│├└─ ").split()[0] for line in text("lsblk.txt").splitlines()[2:]}
    assert {name.removeprefix("mapper/") for _, name in values_by_thing} == names
    assert values_by_thing["md", "md3"] == {
        "size": 159 * 2**20, "read_only": False, "level": "raid1", "below": "ubdn ubdo ubdp",
        "maj_min": "9:3", "removable": False,
    }  # fmt: skip
    assert values_by_thing["lvm", "mapper/my--vg-r1"]["below"] == (
        "mapper/my--vg-r1_rmeta_0 mapper/my--vg-r1_rimage_0 mapper/my--vg-r1_rmeta_1 "
        "mapper/my--vg-r1_rimage_1"
    )


@pytest.mark.parametrize("name", ["lsblk-J.txt", "lsblk-i.txt"])
def test_json_and_ascii_say_what_the_tree_says(name: str) -> None:
    assert values_of(text(name)) == values_of(text("lsblk.txt"))


def test_pairs_say_the_same_but_for_the_branches() -> None:
    tree = {key: {name: value for name, value in values.items() if name != "below"}
            for key, values in values_of(text("lsblk.txt")).items()}  # fmt: skip
    assert values_of(text("lsblk-P.txt")) == tree


def test_the_topology_has_the_names_of_discovery() -> None:
    values_by_thing = values_of(text("lsblk-t.txt"))
    assert values_by_thing["dm", "mapper/my--vg-r5"] | {"below": ""} == {
        "alignment_offset": 0, "io_min": 32768, "io_opt": 65536, "physical_block_size": 512,
        "logical_block_size": 512, "rotational": False, "nr_requests": 128, "read_ahead_kb": 192,
        "below": "", "wsame": "0B",
    }  # fmt: skip
    assert values_by_thing["disk", "ubda"]["scheduler"] == "mq-deadline"
    assert "io_opt" not in values_by_thing["disk", "ubda"]


def test_a_list_names_the_parent() -> None:
    values_by_thing = values_of(text("lsblk-l.txt"))
    assert values_by_thing["md", "md0"]["below"] == "ubdi"


def test_file_systems_and_models_of_several_words() -> None:
    values_by_thing = values_of(text("laptop.txt"))
    assert values_by_thing["disk", "nvme0n1"]["model"] == "Samsung SSD 970 PRO 512GB"
    assert values_by_thing["disk", "sda"]["size"] == 1000190509056  # 931,5G
    assert values_by_thing["ext4", "/home/My Files"] == {
        "device": "/dev/mapper/vg0-home",
        "fstype": "ext4",
    }
    assert values_by_thing["dm_crypt", "mapper/luks-0a1b"]["below"] == "nvme0n1p2"
    assert values_by_thing["filesystem", "/boot/efi"]["fstype"] == "vfat"


def test_where_a_partition_starts_is_held_against_the_sectors() -> None:
    given = (
        "NAME   TYPE  START PHY-SEC LOG-SEC MIN-IO OPT-IO\n"
        "sda    disk            4096     512   4096      0\n"
        "├─sda1 part     63    4096     512   4096      0\n"
        "└─sda2 part 206848    4096     512   4096      0\n"
    )
    values_by_thing = values_of(given)
    assert values_by_thing["partition", "sda1"]["start"] == 63 * 512
    assert values_by_thing["partition", "sda1"]["aligned_to_sector"] is False
    assert values_by_thing["partition", "sda2"]["aligned_to_sector"] is True


def test_an_inverse_tree_is_turned_round() -> None:
    given = (
        "$ lsblk -s\n"
        "NAME  MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT\n"
        "md0     9:0    0  100G  0 raid1 /srv\n"
        "├─sda   8:0    0  100G  0 disk  \n"
        "└─sdb   8:16   0  100G  0 disk  \n"
    )
    values_by_thing = values_of(given)
    assert values_by_thing["md", "md0"]["below"] == "sda sdb"
    assert "below" not in values_by_thing["disk", "sda"]


@pytest.mark.parametrize(
    "name",
    ["lsblk.txt", "lsblk-t.txt", "lsblk-start.txt", "lsblk-l.txt", "lsblk-P.txt", "lsblk-J.txt"],
)
def test_every_shape(name: str) -> None:
    expected = values_of(text(name))
    for shape, changed in mangled(text(name)):
        values_by_thing = values_of(changed)
        if name == "lsblk-P.txt" and "cut" in shape:
            assert values_by_thing.keys() == expected.keys(), shape
        else:
            assert values_by_thing == expected, shape


def test_words_are_no_table() -> None:
    assert read("NAME of the game is SIZE and TYPE of the disk\nsda is one of them\n") == []
    assert values_of("NAME SIZE TYPE\n\nnothing here\n") == {}


@pytest.mark.parametrize("line", [
    'USERNAME="nodejs" # a comment', 'export USERNAME="nodejs"', 'NAME="Debian GNU/Linux"',
    'KERNEL=="sd*", ENV{ID_FS_NAME}="x"', 'COMMITTER_NAME="a" COMMITTER_EMAIL="b"',
])  # fmt: skip
def test_variables_of_a_shell_are_no_pairs(line: str) -> None:
    assert read(f"{line}\nVERSION_ID=12\n") == []
    assert read('NAME="sda" SIZE="1T"\n') != []


def test_branches_that_were_read_in_another_set_of_characters() -> None:
    tree = (
        "NAME       MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\n"
        "sda          8:0    0  64G  0 disk\n"
        "├─sda1       8:1    0   1G  0 part /boot\n"
        "└─sda2       8:2    0  63G  0 part\n"
        "  └─vg-root 253:0   0  63G  0 lvm  /\n"
    )
    plain = values_of(tree)
    assert plain["lvm", "mapper/vg-root"]["below"] == "sda2"
    for charset in ("cp1252", "cp437"):
        assert values_of(tree.encode().decode(charset, errors="replace")) == plain


def test_rows_that_somebody_left_out() -> None:
    head = "NAME         MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT\n"
    rows = "sdb            8:16   0    10G  0 disk\n└─sdb1         8:17   0     5G  0 part /srv\n"
    for gap in ("...\n", "[...]\n", "…\n"):
        assert values_of(head + gap + rows) == values_of(head + rows) != {}


@pytest.mark.parametrize(
    ("fstype", "kind"), [("ext2", "ext2"), ("ext3", "ext3"), ("xfs", "xfs"), ("vfat", "filesystem")]
)
def test_a_mount_is_called_by_its_type(fstype: str, kind: str) -> None:
    rows = f"NAME FSTYPE MOUNTPOINT\nsda\n└─sda1 {fstype} /boot\n"
    assert (kind, "/boot") in values_of(f"$ lsblk -o NAME,FSTYPE,MOUNTPOINT\n{rows}")


def test_numbers_of_devices_and_columns_of_newer_versions_are_said() -> None:
    given = (
        "NAME   MAJ:MIN RM KNAME   MQ DISK-SEQ ID-LINK           HOTPLUG TYPE\n"
        "sdk      8:160  1 sdk      1       14 usb-HERON_STICK-0       1 disk\n"
        "└─sdk1   8:161  1 sdk1     1       14                         1 part\n"
    )
    values_by_thing = values_of(given)
    assert values_by_thing["disk", "sdk"] == {
        "maj_min": "8:160", "removable": True, "kernel_name": "sdk", "mq": 1, "disk_seq": 14,
        "id_link": "usb-HERON_STICK-0", "hotplug": True,
    }  # fmt: skip
    assert values_by_thing["partition", "sdk1"]["maj_min"] == "8:161"


OEM = (
    "NAME           MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT\n"
    "sdr             65:16   0    4G  0 disk \n"
    "+-sdr1          65:17   0    1G  0 part\n"
    "¦ L-md8          9:8    0    1G  0 raid1 /srv\n"
    "L-sdr2          65:18   0    3G  0 part\n"
    "  L-L--x-data  253:3    0    3G  0 lvm\n"
)


def test_branches_that_a_code_page_of_one_byte_made_are_no_names() -> None:
    for shape, changed in mangled(OEM, wraps=False):
        values_by_thing = values_of(changed)
        assert values_by_thing["md", "md8"]["below"] == "sdr1", shape
        assert values_by_thing["partition", "sdr2"]["size"] == 3 * 2**30, shape
        assert ("lvm", "mapper/L--x-data") in values_by_thing, shape


def test_a_volume_whose_group_is_called_l_keeps_its_name() -> None:
    given = (
        "NAME    MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n"
        "sdr       65:16  0   4G  0 disk\n"
        "L-data   253:3   0   3G  0 lvm\n"
    )
    assert ("lvm", "mapper/L-data") in values_of(given)


PATHS = """\
$ lsblk -p
NAME                        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT
/dev/sdq                      8:0    0   128G  0 disk
├─/dev/sdq1                   8:1    0   512M  0 part /boot/efi
└─/dev/sdq2                   8:2    0   127G  0 part
  └─/dev/mapper/vg0-root    253:0    0   100G  0 lvm  /
"""


def test_names_with_their_directories() -> None:
    (state,) = states(PATHS)
    assert {each.name: each.values.get("below") for each in state.subjects} == {
        "sdq": None, "sdq1": "sdq", "sdq2": "sdq", "mapper/vg0-root": "sdq2",
    }  # fmt: skip


WIDE = """\
NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
sda      8:0    0  400G  0 disk
└─sda2   8:2    0  399G  0 part
  └─centos-root
       253:0    0  399G  0 lvm  /
sr0     11:0    1  4.4G  0 rom
"""


def test_a_name_wider_than_its_column_stands_in_a_line_of_its_own() -> None:
    (state,) = states(WIDE)
    rows = {each.name: each.values for each in state.subjects}
    assert list(rows) == ["sda", "sda2", "mapper/centos-root", "sr0"]
    assert rows["mapper/centos-root"]["maj_min"] == "253:0"
    assert rows["mapper/centos-root"]["below"] == "sda2"


def test_a_line_of_one_word_that_no_row_follows_ends_the_table() -> None:
    state, _ = states(WIDE.replace("       253:0    0  399G  0 lvm  /\nsr0", "done\nsr0"))
    assert [each.name for each in state.subjects] == ["sda", "sda2"]


OLD = """\
NAME                MAJ:MIN RM SIZE RO TYPE MOUNTPOINT
xvda                202:0    0  16G  0 disk
└─xvda1             202:1    0  16G  0 part /
xvdb                202:16   0  80G  0 disk
└─data-lvol0 (dm-0) 252:0    0  80G  0 lvm  /data
"""


@pytest.mark.parametrize("text", [OLD, "".join(OLD.splitlines(keepends=True)[3:])])
def test_the_kernels_name_stands_behind_that_of_a_map_in_old_versions(text: str) -> None:
    (listing,) = states(text)
    volume = listing.subjects[-1]
    assert volume.name == "mapper/data-lvol0"
    assert volume.values["kernel_name"] == "dm-0"
    assert volume.values["size"] == 80 << 30
    assert (volume.values["mounts"], volume.values["below"]) == ("/data", "xvdb")
    (torn,) = states(OLD.replace("(dm-0)", "(see dm-0)"))
    assert "mapper/data-lvol0" not in {each.name for each in torn.subjects}


def test_a_uuid_whose_end_is_hidden_is_no_label() -> None:
    (state,) = states(
        "# lsblk -f /dev/vg7/a\nNAME        FSTYPE LABEL UUID          MOUNTPOINT\n"
        "vg7-a_long_name  ext4         6689b6aa****\n"
    )
    values = state.subjects[0].values
    assert values["uuid"] == "6689b6aa****"
    assert "label" not in values


def test_devices_whose_lines_were_broken_by_hand_are_not_made_one() -> None:
    text = (
        'ALIGNMENT="0" MAJ:MIN="11:0" \\\n    MODEL="DVD" NAME="sr7" RO="0" \\\n    TYPE="rom"\n'
        'ALIGNMENT="0" MAJ:MIN="8:0" \\\n    MODEL="ST7" NAME="sdq" RO="0" \\\n    TYPE="disk"\n'
    )
    assert states(text) == []
