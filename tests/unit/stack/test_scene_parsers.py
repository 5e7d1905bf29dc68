"""What the kernel and lsblk print, in the shapes they had over the years."""

from __future__ import annotations

import json

import pytest

from iosonde.kerneltext import unescape
from iosonde.layers._lsblk import parse_lsblk_json, parse_lsblk_pairs
from iosonde.stack.scene import parse_mountinfo, parse_swaps

# proc(5)'s own example line has two optional fields; the others have none and one.
MOUNTINFO = r"""36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
95 28 8:17 / /srv/two\040words rw,relatime shared:40 master:2 - xfs /dev/sdb1 rw,attr2,sunit=128
96 28 0:55 / /mnt/n\303\244s rw - nfs4 10.0.0.5:/vol/a\040b rw,vers=4.2,nconnect=4
97 28 0:56 / /mnt/half rw
98 28 0:57 /@ /home rw,noatime - btrfs /dev/mapper/c1 rw,subvol=/@
"""


def test_mountinfo_reads_every_shape_of_line() -> None:
    mounts = {mount.mount_point: mount for mount in parse_mountinfo(MOUNTINFO)}
    assert list(mounts) == ["/mnt2", "/proc", "/srv/two words", "/mnt/näs", "/home"]
    first = mounts["/mnt2"]
    assert (first.fstype, first.source, first.number, first.root) == (
        "ext3", "/dev/root", "98:0", "/mnt1",
    )  # fmt: skip
    assert first.options == ("rw", "noatime")
    assert first.super_options == ("rw", "errors=continue")
    assert mounts["/mnt/näs"].source == "10.0.0.5:/vol/a b"
    assert mounts["/home"].root == "/@"


def test_octal_escapes_are_bytes_not_characters() -> None:
    assert unescape(r"a\040b\011c\134d") == "a b\tc\\d"
    assert unescape(r"\303\244") == "ä"
    assert unescape("\udcc3\udca4") == "ä"  # raw bytes that came through surrogateescape
    assert unescape(r"\303") == "\udcc3"


def test_swaps_without_the_heading() -> None:
    text = (
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        "/dev/dm-1                               partition\t8388604\t0\t-2\n"
        "/swap\\040file                           file\t\t1048572\t0\t-3\n"
    )
    assert parse_swaps(text) == ("/dev/dm-1", "/swap file")
    assert parse_swaps("") == ()


def test_old_lsblk_prints_strings_new_one_types() -> None:
    old = {"name": "sda", "kname": "sda", "ro": "0", "rm": "1", "rota": "1",
           "size": "500107862016", "log-sec": "512", "model": "ST500LM000", "vendor": "ATA     ",
           "serial": None}  # fmt: skip
    new = {**old, "ro": False, "rm": True, "rota": True, "size": 500107862016, "log-sec": 512,
           "vendor": "ATA", "mountpoints": [None]}  # fmt: skip
    parsed = [
        parse_lsblk_json(json.dumps({"blockdevices": [values]}))["sda"] for values in (old, new)
    ]
    assert parsed[1].pop("mountpoints") is None
    assert parsed[0] == parsed[1]
    assert parsed[0]["ro"] is False
    assert parsed[0]["size"] == 500107862016


def test_a_device_under_two_parents_comes_once_and_gets_its_parent_from_the_tree() -> None:
    md = {"name": "md0", "type": "raid1", "children": [{"name": "md0p1", "type": "part"}]}
    tree = {"blockdevices": [
        {"name": "sda", "type": "disk", "children": [md]},
        {"name": "sdb", "type": "disk", "children": [md]},
    ]}  # fmt: skip
    values_by_name = parse_lsblk_json(json.dumps(tree))
    assert list(values_by_name) == ["sda", "md0", "md0p1", "sdb"]
    assert values_by_name["md0p1"]["pkname"] == "md0"


@pytest.mark.parametrize(
    "text", ["", "{}", '{"blockdevices": 3}', '{"blockdevices": [3]}', "lsblk: broken", "[]"]
)
def test_what_is_not_lsblks_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_lsblk_json(text)


def test_pairs_of_enterprise_linux_7() -> None:
    text = (
        'NAME="sda" KNAME="sda" MAJ:MIN="8:0" RO="0" RM="0" MODEL="PERC H730 Mini  " '
        'SIZE="599550590976" MIN-IO="512" ROTA="1" SCHED="deadline" TYPE="disk" PKNAME=""\n'
        'NAME="rhel-root (dm-0)" KNAME="dm-0" MAJ:MIN="253:0" RO="0" SIZE="53687091200" '
        'FSTYPE="xfs" TYPE="lvm" PKNAME="sda2"\n'
        'NAME="a" KNAME="sdb" LABEL="my \\"disk\\"" SIZE="1" TYPE="disk"\n'
    )
    values_by_name = parse_lsblk_pairs(text)
    assert list(values_by_name) == ["sda", "dm-0", "sdb"]
    assert values_by_name["sda"]["model"] == "PERC H730 Mini"
    assert values_by_name["sda"]["pkname"] is None
    assert values_by_name["sda"]["rota"] is True
    assert values_by_name["dm-0"]["size"] == 53687091200
    assert values_by_name["sdb"]["label"] == 'my "disk"'


def test_a_torn_pair_leaves_the_others() -> None:
    values_by_name = parse_lsblk_pairs('NAME="sda" KNAME="sda" SIZE="512" LABEL="never close\n')
    assert values_by_name == {"sda": {"name": "sda", "kname": "sda", "size": 512}}
