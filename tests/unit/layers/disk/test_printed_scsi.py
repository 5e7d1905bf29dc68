"""What SCSI devices and udev's database say. Oracle: blocks times their length is the size."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs"
PAGES = (OUTPUTS / "sg3-composed" / "pages.txt").read_text()
UDEV = (OUTPUTS / "udev-composed" / "info.txt").read_text()
DISCARDS = (OUTPUTS / "sg3-composed" / "lsblk-discard.txt").read_text()


def test_pages_of_a_disk() -> None:
    inquiry, capacity, limits = subjects_in(PAGES)
    assert {subject.name for subject in (inquiry, capacity, limits)} == {"sdb"}
    assert (inquiry.values["vendor"], inquiry.values["model"]) == ("SEAGATE", "ST600MM0006")
    assert capacity.values["size"] == 1172123568 * 512
    assert capacity.values["physical_block_size"] == 512 << 3
    assert limits.values["transfer_granularity_blocks"] == 8
    (spinning,) = subjects_in(
        "# sg_vpd -p bdc /dev/sdc\nBlock device characteristics VPD page (SBC):\n"
        "  Nominal rotation rate: 7200 rpm\n"
    )
    assert (spinning.values["rotation_rate"], spinning.values["rotational"]) == (7200, True)
    (unread,) = read(PAGES.partition("  PQual")[0])
    assert isinstance(unread, Unread)
    assert unread.reason == "none of its figures is there"
    assert not read("The block limits VPD page is read by the block layer.")


def test_all_that_an_inquiry_says() -> None:
    inquiry, capacity, limits = subjects_in(PAGES)
    for name, value in (("pqual", 0), ("multip", 1), ("vs", 0), ("3pc", 0), ("protect", 1)):
        assert inquiry.values[name] == value
    assert (inquiry.values["version"], inquiry.values["length"]) == ("0x06", 0x90)
    assert capacity.values["last_lba"] == 1172123568 - 1
    assert capacity.values["number_of_logical_blocks"] == 1172123568
    assert limits.values["maximum_compare_and_write_length"] == "0 blocks"
    (provisioning,) = subjects_in(
        "# sg_vpd -p lbpv /dev/sdc\nLogical block provisioning VPD page (SBC):\n"
        "  Unmap command supported (LBPU): 1\n  Provisioning type: 2 (thin provisioned)\n"
    )
    assert provisioning.values == {
        "unmap_command_supported_lbpu": 1, "provisioning_type": "2 (thin provisioned)",
    }  # fmt: skip


def test_by_what_names_a_device_is_known() -> None:
    (device,) = subjects_in(
        "# sg_vpd -p di /dev/sdc\nDevice Identification VPD page:\n  Addressed logical unit:\n"
        "    designator type: NAA,  code set: Binary\n      0x6001405b3d7f1a2c4e84b8a9f1e2d3c4\n"
        "    designator type: T10 vendor identification,  code set: ASCII\n"
        "      vendor id: LIO-ORG \n      vendor specific: disk0:b3d7f1a2\n  Target port:\n"
        "    designator type: Relative target port,  code set: Binary\n"
        "      Relative target port: 0x2\n"
    )
    assert device.values == {
        "naa": "6001405b3d7f1a2c4e84b8a9f1e2d3c4", "vendor_id": "LIO-ORG",
        "vendor_specific": "disk0:b3d7f1a2", "relative_target_port": 2,
    }  # fmt: skip


def test_pages_in_every_shape() -> None:
    expected = [(subject.name, dict(subject.values)) for subject in subjects_in(PAGES)]
    for shape, changed in mangled(PAGES, wraps=False):
        if shape != "with blank lines":
            got = [(subject.name, dict(subject.values)) for subject in subjects_in(changed)]
            assert got == expected, shape


def test_the_database_of_udev() -> None:
    disk, partition = subjects_in(UDEV)
    assert (disk.kind, disk.name, disk.values["rotation_rate"]) == ("disk", "sda", 7200)
    assert disk.values["write_cache"] == "write back"
    assert (partition.kind, partition.name) == ("partition", "sda1")
    assert (partition.values["start"], partition.values["size"]) == (2**20, 2**29)
    network = (
        "P: /devices/pci0000:00/net/eth0\nE: DEVNAME=/dev/net\nE: SUBSYSTEM=net\nE: ID_PATH=x\n"
    )
    (unread,) = read(network)
    assert isinstance(unread, Unread)
    assert unread.reason == "it is of no block device"


def test_what_a_disk_can_discard() -> None:
    values = {subject.name: subject.values for subject in subjects_in(DISCARDS)}
    assert values["sda"]["discard_granularity"] == 512
    assert values["sda"]["discard_max_bytes"] == 2 * 2**30
    assert values["sdb"]["discard_max_bytes"] == 0


def test_a_limit_of_unmap_that_is_none() -> None:
    text = (
        "# sg_vpd -p bl /dev/sdx\nBlock limits VPD page (SBC):\n"
        "  Maximum unmap LBA count: -1 [unbounded]\n"
        "  Optimal unmap granularity: 2097152 blocks\n"
    )
    (limits,) = subjects_in(text)
    assert limits.values["max_unmap_blocks"] == "unbounded"
    assert limits.values["unmap_granularity_blocks"] == 2097152
    (bounded,) = subjects_in(text.replace("-1 [unbounded]", "4096"))
    assert bounded.values["max_unmap_blocks"] == 4096
