"""Lines of fstab that a mail broke behind the type, and lists of UUIDs that are none."""

from __future__ import annotations

import pytest

from tests.mangle import read, states, subjects_in

UUID = "UUID=0c1d2e3f-1111-4222-8333-944455556666"


def test_a_line_that_ends_with_its_type() -> None:
    (state,) = states(f"{UUID} /srv/q          ext4\n   defaults,user_xattr   0 2\n")
    assert (state.tool, state.subjects[0].name) == ("fstab", "/srv/q")
    assert state.subjects[0].values["user_xattr"] is True


def test_a_list_of_identifiers_is_no_fstab() -> None:
    assert not list(read(f'/dev/sdq1: {UUID} TYPE="ext4"\n{UUID}\nis what the disk is called\n'))


def test_every_type_of_file_system_and_no_password() -> None:
    text = (
        "//srv/docs /srv/docs cifs username=u,password=x7,_netdev 0 0\n"
        "gv0:/a /srv/g glusterfs defaults 0 0\n/dev/sdb1 /boot/efi vfat umask=0077 0 1\n"
    )
    (state,) = states(text)
    assert [(each.kind, each.name) for each in state.subjects] == [
        ("cifs", "/srv/docs"), ("glusterfs", "/srv/g"), ("vfat", "/boot/efi"),
    ]  # fmt: skip
    assert "x7" not in str(state)
    assert state.subjects[0].values["_netdev"] is True


def test_a_sentence_about_types_is_no_fstab() -> None:
    assert not list(read("the ext4 and vfat partitions are at /boot vfat are small\n"))


def test_a_disk_behind_an_address_without_netdev_is_said() -> None:
    path = "/dev/disk/by-path/ip-10.0.0.5:3260-iscsi-iqn.2003-01.org.elm:t1-lun-1"
    rows = (
        (f"{path} /srv ext4 defaults 0 2", False),
        (f"{path}-part1 /srv ext4 defaults,_netdev 0 2", True),
        ("/dev/disk/by-path/pci-0000:00:1f.2-ata-1 /srv ext4 defaults 0 2", None),
    )
    for row, netdev in rows:
        ((mount,),) = [state.subjects for state in states(f"$ cat /etc/fstab\n{row}\n")]
        assert mount.values.get("_netdev") is netdev


@pytest.mark.parametrize(("line", "point", "device"), [
    ("# echo '/dev/sdb1 /srv/a ext4 defaults,nofail 0 2' >> /etc/fstab", "/srv/a", "/dev/sdb1"),
    ('echo "UUID=6F92-F3D4\\t/srv/b\\txfs\\tdefaults\\t0\\t0" | sudo tee -a /etc/fstab', "/srv/b",
     "UUID=6F92-F3D4"),
    ("# echo /dev/zvol/tank/swap none swap discard 0 0 >> /etc/fstab", "zvol/tank/swap",
     "/dev/zvol/tank/swap"),
    ("Put `UUID=6F92-F3D4 /srv/c vfat noauto,users,rw,noatime 0 0` there.", "/srv/c",
     "UUID=6F92-F3D4"),
    ("UUID=6F92-F3D4 /srv/d vfat rw,noatime 0 0", "/srv/d", "UUID=6F92-F3D4"),
])  # fmt: skip
def test_entries_in_commands_and_sentences(line: str, point: str, device: str) -> None:
    (mount,) = subjects_in(f"Notes\n\n{line}\n", "fstab")
    assert (mount.name, mount.values["device"]) == (point, device)


@pytest.mark.parametrize("line", [
    "# echo '/dev/sdb1 is gone' >> /etc/fstab", "see `/dev/sdb1 on /srv type ext4` there",
    "/dev/sdb1 /srv ext4 rw,noatime 0 0", "# echo '/dev/sdb1 /srv ext4 defaults 0 2' > /tmp/a",
])  # fmt: skip
def test_what_is_no_entry_of_the_file(line: str) -> None:
    assert not subjects_in(f"Notes\n\n{line}\n", "fstab")


def test_a_type_that_is_not_what_the_mount_is_called_is_said() -> None:
    (table,) = states("nas:/srv /srv nfs4 rw,hard 0 2\n/dev/vdb1 /data ext4 defaults 0 0\n")
    share, disk = table.subjects
    assert (share.kind, share.values["type"]) == ("nfs", "nfs4")
    assert "type" not in disk.values


def test_what_stands_behind_a_line_is_a_remark() -> None:
    (table,) = states(
        "LABEL=root\t/\text4\tdiscard,errors=remount-ro\t0 1\n"
        "/dev/vdb1\t/data\t\text4\tdefaults\t0 0\t\t# added\n"
    )
    assert [(each.name, each.values["device"]) for each in table.subjects] == [
        ("/", "LABEL=root"), ("/data", "/dev/vdb1"),
    ]  # fmt: skip
    assert read("/dev/vdb1 /data ext4 is what I would # add\n") == []
