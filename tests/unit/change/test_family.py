"""Which devices share blocks, by offsets alone; and from where not all of a host can be seen."""

from __future__ import annotations

import pytest

from iosonde.change.family import related
from iosonde.change.scan import Backing, ScannedDevice, ScannedDevices, _unseen, number_of

K = 1024


def devices(
    *all_: ScannedDevice,
    loops: dict[str, Backing | None] | None = None,
    slaves: dict[str, tuple[str, ...]] | None = None,
) -> ScannedDevices:
    return ScannedDevices({device.number: device for device in all_}, loops or {}, slaves or {})


def disk(name: str, number: str, size: int = 64 * K) -> ScannedDevice:
    return ScannedDevice(name, number, "", 0, size)


def names(scanned: ScannedDevices, number: str) -> dict[str, str]:
    return {device.name: relation for device, relation in related(scanned, number)}


SDA = disk("sda", "8:0")
SDA1 = ScannedDevice("sda1", "8:1", "8:0", 1 * K, 10 * K)
SDA2 = ScannedDevice("sda2", "8:2", "8:0", 20 * K, 10 * K)


def test_a_disk_its_partitions_and_not_their_siblings() -> None:
    scanned = devices(SDA, SDA1, SDA2)
    assert names(scanned, "8:0") == {"sda1": "its partition", "sda2": "its partition"}
    assert names(scanned, "8:1") == {"sda": "the disk it is part of"}


def test_volumes_of_one_physical_volume_share_nothing() -> None:
    scanned = devices(SDA, disk("dm-0", "252:0"), disk("dm-1", "252:1"),
                    slaves={"252:0": ("8:0",), "252:1": ("8:0",)})  # fmt: skip
    assert names(scanned, "252:0") == {}
    assert names(scanned, "8:0") == {}  # what holds it is told by its holders


def test_another_loop_device_on_the_image_under_a_volume_shares_it() -> None:
    scanned = devices(
        disk("loop0", "7:0"), disk("loop1", "7:1"), disk("dm-0", "252:0"), disk("dm-1", "252:1"),
        loops={"7:0": Backing("1:99", "", 0), "7:1": Backing("1:99", "", 0)},
        slaves={"252:0": ("7:0",), "252:1": ("252:0",)},
    )  # fmt: skip
    for volume in ("252:0", "252:1"):
        assert names(scanned, volume) == {"loop1": "on the same image:"}


@pytest.mark.parametrize(
    ("offset", "size", "shares"),
    [(0, 1 * K, False), (0, 1 * K + 1, True), (11 * K - 1, 4 * K, True), (11 * K, 4 * K, False)],
)
def test_a_loop_device_shares_a_partition_whose_bytes_it_touches(
    offset: int, size: int, shares: bool
) -> None:
    scanned = devices(
        SDA, SDA1, disk("loop0", "7:0", size), loops={"7:0": Backing("", "8:0", offset)}
    )
    assert ("loop0" in names(scanned, "8:1")) == shares
    assert ("sda1" in names(scanned, "7:0")) == shares
    assert names(scanned, "7:0")["sda"] == "what it stands on,"


def test_a_chain_is_followed_to_its_end() -> None:
    scanned = devices(
        SDA, SDA2, disk("loop0", "7:0", 4 * K), disk("loop1", "7:1", 2 * K),
        loops={"7:0": Backing("", "8:2", 2 * K), "7:1": Backing("", "7:0", 1 * K)},
    )  # fmt: skip
    assert names(scanned, "7:1") == dict.fromkeys(("sda", "sda2", "loop0"), "what it stands on,")
    assert "loop1" in names(scanned, "8:0")


def test_a_circle_and_an_unread_loop_device_end() -> None:
    scanned = devices(
        disk("loop0", "7:0"), disk("loop1", "7:1"), disk("loop2", "7:2"),
        loops={"7:0": Backing("", "7:1", 0), "7:1": Backing("", "7:0", 0), "7:2": None},
        slaves={"7:0": ("7:1",), "7:1": ("7:0",)},
    )  # fmt: skip
    assert "loop2" not in names(scanned, "7:0")


@pytest.mark.parametrize(("device", "number"), [(0x700, "7:0"), (0x10FE2C, "254:300")])
def test_numbers_as_the_kernel_packs_them(device: int, number: str) -> None:
    assert number_of(device) == number


OWN = ("pid:[4026531836]", "user:[4026531837]")


@pytest.mark.parametrize(
    ("view", "unseen"),
    [
        ((*OWN, "000001ffffffffff"), ""),
        (("-", "-", "000001ffffffffff"), ""),
        ((*OWN, "00000000a80425fb"), "CAP_SYS_PTRACE"),
        ((*OWN, "-"), "CAP_SYS_PTRACE"),
        (("pid:[4026532177]", OWN[1], "000001ffffffffff"), "not the host's own"),
        ((OWN[0], "user:[4026532178]", "000001ffffffffff"), "not the host's own"),
    ],
)
def test_from_where_all_can_be_seen(view: tuple[str, ...], unseen: str) -> None:
    assert (unseen in _unseen(view)) if unseen else _unseen(view) == ""
