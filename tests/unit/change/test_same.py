"""Declared keys beside recorded hosts: what differs is refused with both values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.change.journal import Made
from iosonde.change.same import StandingLayers, declared_keys, require_as_recorded
from iosonde.errors import Refused
from iosonde.hosts import open_host
from iosonde.layers.site import Site
from iosonde.layers.step import Check
from iosonde.stack.file import buildable

RECORDINGS = Path(__file__).parents[2] / "recordings"
ARRAY = {"kind": "md", "level": 6, "chunk_size": "64 KiB", "bitmap": "internal"}
FILE_SYSTEM = {"kind": "xfs", "mount": "/run/home", "log_size": "64 MiB", "agcount": 8}
VOLUME = {
    "kind": "lvm", "type": "striped", "size": "15 MiB", "stripes": 2, "stripe_size": "64 KiB"
}  # fmt: skip


def site(values: dict[str, Any], device: str = "", below: tuple[Site, ...] = ()) -> Site:
    declared = buildable()[values["kind"]].declaration.model_validate(values)
    return Site("s", "r", "h", declared, below, device=device)


def disks(letters: str) -> tuple[Site, ...]:
    return tuple(
        site({"kind": "disk", "path": f"/dev/ubd{letter}"}, f"/dev/ubd{letter}")
        for letter in letters
    )


def made(values: dict[str, Any]) -> Made:
    return Made(
        "r", 0, 1, "make it", Check(("true",)), (), (), "done",
        declared=declared_keys(site(values)),
    )  # fmt: skip


async def difference(recording: str, place: Site, *recorded: Made) -> str:
    host = await open_host(f"recording:{RECORDINGS / recording}")
    try:
        await StandingLayers({"h": host}).require_as_declared(place, recorded, "s.yaml")
    except Refused as problem:
        return str(problem)
    return ""


async def test_a_chunk_of_another_size_is_refused_with_both_sizes() -> None:
    five = disks("abcde")
    assert not await difference("uml-md-lvm-xfs", site(ARRAY, "/dev/md0", five))
    message = await difference(
        "uml-md-lvm-xfs", site({**ARRAY, "chunk_size": "256 KiB"}, "/dev/md0", five)
    )
    assert "chunk_size is declared 256 KiB and standing 64 KiB" in message
    assert "level" not in message


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"level": 5}, "level is declared raid5 and standing raid6"),
        ({"layout": "left-asymmetric"}, "layout is declared left-asymmetric and standing left-s"),
        ({"layout": "ls"}, ""),  # the short name of the default
        ({"bitmap": "none"}, "bitmap is declared none and standing internal"),
        ({"metadata": "1.0"}, "metadata is declared 1.0 and standing 1.2"),
        ({"spares": 1}, "spares is declared 1 and standing 0"),
        ({"chunk_size": 65536}, ""),
        ({"assume_clean": True}, ""),
    ],
)
async def test_each_key_of_an_array(change: dict[str, Any], expected: str) -> None:
    message = await difference(
        "uml-md-lvm-xfs", site({**ARRAY, **change}, "/dev/md0", disks("abcde"))
    )
    assert expected in message
    assert bool(message) == bool(expected)


async def test_raid_1_is_not_taken_for_raid_10() -> None:
    ten = site({"kind": "md", "level": 10, "chunk_size": "256 KiB", "layout": "f2", "spares": 1},
               "/dev/md1", disks("fghij"))  # fmt: skip
    assert not await difference("uml-md-lvm-xfs", ten)
    message = await difference(
        "uml-md-lvm-xfs", site({"kind": "md", "level": 1}, "/dev/md1", disks("fghij"))
    )
    assert "level is declared raid1 and standing raid10" in message


async def test_an_array_of_other_disks_is_another() -> None:
    message = await difference("uml-md-lvm-xfs", site(ARRAY, "/dev/md0", disks("abcdf")))
    assert "of is declared" in message
    assert "/dev/ubde" in message


async def test_a_degraded_array_is_no_other_array() -> None:
    values = {"kind": "md", "level": 10, "chunk_size": "64 KiB", "bitmap": "internal"}
    assert not await difference("uml-md-trouble", site(values, "/dev/md1", disks("defg")))


async def test_each_key_of_an_xfs() -> None:
    below = site({"kind": "disk", "path": "/dev/mapper/x"}, "/dev/mapper/vg--data-home")
    given = {"su": "64 KiB", "sw": 3}
    right = site({**FILE_SYSTEM, **given}, "/run/home", (below,))
    assert not await difference("uml-md-lvm-xfs", right)
    message = await difference(
        "uml-md-lvm-xfs",
        site({**FILE_SYSTEM, "su": 0, "log_size": "32 MiB", "agcount": 4}, "/run/home", (below,)),
    )
    assert "su is declared 0 B and standing 64.0 KiB" in message.replace("64 KiB", "64.0 KiB")
    assert "log_size is declared 32 MiB and standing 64 MiB" in message
    assert "agcount is declared 4 and standing 8" in message


async def test_a_file_system_of_another_device_is_mounted_there() -> None:
    below = site({"kind": "disk", "path": "/dev/ubda"}, "/dev/ubda")
    message = await difference(
        "uml-md-lvm-xfs", site({**FILE_SYSTEM, "su": 65536, "sw": 3}, "/run/home", (below,))
    )
    assert "of is declared r (/dev/ubda) and standing /dev/mapper/vg--data-home" in message


async def test_a_volume_is_rounded_up_to_extents() -> None:
    pair = disks("ab")
    place = "/dev/mapper/my--vg-striped"
    assert not await difference("uml-lvm-kinds", site(VOLUME, place, pair))
    message = await difference("uml-lvm-kinds", site({**VOLUME, "size": "17 MiB"}, place, pair))
    assert "size is declared 24 MiB and standing 16 MiB" in message
    message = await difference("uml-lvm-kinds", site({**VOLUME, "stripe_size": 4096}, place, pair))
    assert "stripe_size is declared 4 KiB and standing 64 KiB" in message
    message = await difference(
        "uml-lvm-kinds", site({"kind": "lvm", "type": "striped"}, "/dev/mapper/my--vg-r5", pair)
    )
    assert "type is declared striped and standing raid5" in message


async def test_an_nfs_mount() -> None:
    values = {"kind": "nfs", "mount": "/run/images", "hard": False}
    mount = site(values, "/run/images")
    host = await open_host(f"recording:{RECORDINGS / 'uml-nfs'}")
    message = await difference("uml-nfs", site({**values, "hard": True}, "/run/images"))
    assert "hard is declared yes and standing no" in message
    assert "hard" not in await difference("uml-nfs", mount)
    await host.close()
    # What was asked for and not granted is no difference; what was never asked for is one.
    asked = {**values, "rsize": "16 MiB"}
    assert "rsize" in await difference("uml-nfs", site(asked, "/run/images"))
    assert "rsize" not in await difference("uml-nfs", site(asked, "/run/images"), made(asked))


def test_what_nothing_shows_is_compared_with_the_record() -> None:
    values = {"kind": "nbd", "timeout": 30}
    require_as_recorded(site(values), [made({"kind": "nbd"})], "s.yaml")
    with pytest.raises(Refused, match="connections is declared 4 and built with 1") as caught:
        require_as_recorded(site({**values, "connections": 4}), [made(values)], "s.yaml")
    assert "iosonde down s.yaml" in caught.value.hint


def test_a_record_of_an_older_version_and_immaterial_keys_are_no_difference() -> None:
    older = Made("r", 0, 1, "make it", Check(("true",)), (), (), "done")
    require_as_recorded(site({"kind": "nbd", "connections": 4}), [older], "s.yaml")
    slow = {"kind": "disk", "file": "/srv/d", "like": "hdd"}
    require_as_recorded(site(slow), [made({**slow, "like": "ssd"})], "s.yaml")
