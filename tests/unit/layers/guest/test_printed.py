"""Disks of virtual machines as texts have them. Oracle: the sizes that the tools print twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject, Unread
from tests.mangle import counters, mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "guests-composed"
XML, QEMU, IMAGE, QM, VIRSH = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("disk-xml", "qemu", "qemu-img", "qm", "virsh")
)


def subjects(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for subject in subjects_in(text)}


def test_a_disk_of_libvirt() -> None:
    disk = subjects(XML)["vda"].values
    assert (disk["bus"], disk["cache"], disk["aio"]) == ("virtio", "none", "native")
    assert disk["limit_iops"] == 1000
    backed = XML.replace(
        "<target", "<backingStore type='file'><source file='/b.img'/></backingStore><target"
    )
    assert subjects(backed)["vda"].values["path"] == disk["path"]
    cut = XML.partition("<iotune>")[0]
    (unread,) = read(cut)
    assert isinstance(unread, Unread)
    assert unread.reason == "the end of the <disk> is cut off"
    assert not read("The `<disk type='file'>` element of libvirt has many children.")


def test_drives_of_qemu_without_its_firmware() -> None:
    disks = subjects(QEMU)
    assert set(disks) == {"drive1", "data"}
    assert disks["drive1"].values["cache"] == "unsafe"
    assert disks["data"].values["path"] == "/dev/vg0/data"
    assert not read("Use -drive file=x.img to attach a disk.")


def test_a_path_that_a_wrap_tore_is_not_guessed() -> None:
    torn = QEMU.replace("/srv/images/system.qcow2", "/srv/images/sys\ntem.qcow2")
    assert "drive1" not in subjects(torn)
    coded = QEMU.replace("file=", "file=3D")
    (unread,) = read(coded)
    assert isinstance(unread, Unread)
    assert unread.reason == "it is quoted-printable inside of a text that is not"


def test_what_virsh_says() -> None:
    disk = subjects(VIRSH)["vda"].values
    assert disk["size"] == 20 * 2**30
    assert subjects(VIRSH.partition("# virsh domblkinfo")[0])["vda"].values == {
        "path": "/var/lib/libvirt/images/vm1.qcow2"
    }
    (row,) = counters(VIRSH)
    assert (row.name, row.values["rd_req"]) == ("vda", 12345)
    assert row.values["wr_total_times"] == 23.456789012


def test_images_and_machines_of_proxmox() -> None:
    image = subjects(IMAGE)["vm1.qcow2"].values
    assert image["size"] == 20 * 2**30
    assert image["allocation"] == round(5.12 * 2**30)
    disk, machine = subjects(QM)["scsi0"].values, subjects(QM)["machine"].values
    assert (disk["size"], disk["cache"], disk["iothread"]) == (100 * 2**30, "writeback", True)
    assert machine["memory"] == 8 * 2**30
    assert not read("scsi0: detected capacity change")


@pytest.mark.parametrize("text", [XML, IMAGE, QM])
def test_every_shape(text: str) -> None:
    expected = {name: dict(subject.values) for name, subject in subjects(text).items()}
    for shape, changed in mangled(text, wraps=False):
        if shape == "with blank lines" and text != XML:
            continue
        got = {name: dict(subject.values) for name, subject in subjects(changed).items()}
        assert got == expected, shape


def test_megabytes_of_proxmox_are_binary() -> None:
    text = "# qm config 101\nscsi0: local:vm-101-disk-0,mbps_rd=100,mbps_wr=2.5,iops=300,size=1G\n"
    disk = subjects(text)["scsi0"].values
    assert disk["limit_read_bandwidth"] == 104_857_600  # throttling.bps-read that qm starts with
    assert disk["limit_write_bandwidth"] == 2_621_440
    assert (disk["size"], disk["iops"]) == (2**30, 300)
