"""Areca's drives, RAID sets and volume sets."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "areca-composed"
DISK, SLOTS, SETS, OLD = (
    (PLACE / f"{name}.txt").read_text() for name in ("disk", "slots", "sets", "old")
)


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_a_set_whose_number_is_torn_off_has_no_name() -> None:
    values = things(
        "  # Enc# Slot#   ModelName                        Capacity  Usage\n"
        f"{'=' * 79}\n"
        "  2  01  Slot#2  ST4000NM0033-9ZM170              4000.8GB  Raid Set #\n00\n"
    )["disk", "e1/s2"]
    assert "drive_group" not in values


def test_drives_in_every_shape() -> None:
    for shape, given in mangled(DISK, wraps=False):
        named = things(given)
        assert named["disk", "ch1"] == {
            "number": 1, "model": "WDC WD4000FYYZ-01UL1B1", "size": 4_000_800_000_000,
            "drive_group": "backup 01",
        }, shape  # fmt: skip
        each = {name: values.get("state") for (_, name), values in named.items()}
        assert each == {
            "ch1": None, "ch2": None, "ch3": "failed", "ch4": "hot spare", "ch5": "pass through",
            "ch6": "unconfigured good",
        }  # fmt: skip
    assert states(DISK)[0].host == "vault1"


def test_old_versions_in_every_shape() -> None:
    for shape, given in mangled(OLD, wraps=False):
        named = things(given)
        group = named["drive_group", "Raid Set # 00"]
        assert (group["state"], group["channels"], group["disks"]) == ("rebuild", "12345", 5), shape
        volume = named["hwraid", "ARC-1160-VOL#00"]
        assert (volume["raid_level"], volume["state"]) == ("raid10", "need rebuild"), shape
        assert (volume["size"], volume["drive_group"]) == (19_000_000_000, "1")
        assert named["disk", "ch1"]["state"] == "hot spare"
        assert named["disk", "ch2"]["drive_group"] == "1"
        assert (named["disk", "ch3"]["state"], named["disk", "ch3"]["serial"]) == (
            "failed", "4AB1JKDY",
        )  # fmt: skip


def test_drives_behind_an_expander() -> None:
    named = things(SLOTS)
    assert list(named) == [("disk", "e2/s1"), ("disk", "e2/s2")]
    assert named["disk", "e2/s2"]["size"] == 6_001_200_000_000


def test_sets_and_volumes_in_every_shape() -> None:
    for shape, given in mangled(SETS, wraps=False):
        named = things(given)
        group = named["drive_group", "backup 01"]
        assert (group["state"], group["disks"]) == ("degraded", 8), shape
        assert (group["size"], group["smallest_disk"]) == (32_000_000_000_000, 4_000_000_000_000)
        assert named["drive_group", "tank"]["free"] == 500_500_000_000
        assert named["hwraid", "dump area"] == {
            "volume": "dump area", "drive_group": "backup 01", "raid_level": "raid6",
            "size": 24_000_000_000_000, "channel_id_lun": "00/00/00", "state": "degraded",
        }  # fmt: skip
        scratch = named["hwraid", "scratch"]
        assert (scratch["raid_level"], scratch["state"]) == ("raid10", "rebuild")
        assert scratch["active_operations"] == "rebuilding 12.5 %"


def test_channels_of_a_set_and_a_row_that_is_cut() -> None:
    head = " #  Name             Disks TotalCap  FreeCap DiskChannels       State\n"
    rows = (
        " 1  data                 4 2000.0GB    0.0GB 1A32            Normal\n 2  cut      4 2000\n"
    )
    named = things(head + rows)
    assert named["drive_group", "data"]["channels"] == "1A32"
    assert len(named) == 1


def test_a_head_alone_and_prose() -> None:
    (entry,) = read(DISK.split("\n")[1] + "\n")
    assert isinstance(entry, Unread)
    assert read("Its ModelName    is not Capacity but Usage.\n") == []
