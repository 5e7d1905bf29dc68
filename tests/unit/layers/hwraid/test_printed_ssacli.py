"""Smart Array controllers as hpacucli, hpssacli and ssacli print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "ssacli-2"
DETAIL = (PLACE / "config-detail.txt").read_text()
CONFIG = (PLACE / "config.txt").read_text()
STATUS = (PLACE / "status.txt").read_text()
GIB = 1 << 30


def subjects(text: str) -> dict[tuple[str, str], PrintedSubject]:
    return {
        (subject.kind, subject.name): subject
        for state in states(text)
        for subject in state.subjects
    }


def test_the_controller_with_its_cache_shares_and_battery() -> None:
    (state,) = states(DETAIL)
    assert (state.host, state.command) == ("app3", "hpssacli ctrl all show config detail")
    values = subjects(DETAIL)["controller", "slot0"].values
    assert values["driver_name"] == "hpsa"
    assert values["battery_capacitor_count"] == 1
    assert (values["serial"], values["bus_interface"]) == ("PDNLH0BRH00001", "PCI")
    assert values["pci_address_domain_bus_device_function"] == "0000:03:00.0"
    assert (
        values.items()
        >= {
            "model": "Smart Array P440ar",
            "slot": "0",
            "firmware": "3.56",
            "state": "OK",
            "cache_size": 2 * GIB,
            "cache_state": "OK",
            "cache_read_share": 0.1,
            "cache_write_share": 0.9,
            "battery": "failed",
            "disk_cache": "enabled",
            "unprotected_write_cache": "Enabled",
            "rebuild_priority": "High",
            "expand_priority": "Medium",
        }.items()
    )


def test_a_spare_is_no_member_and_a_type_keeps_its_blank() -> None:
    text = CONFIG.replace(
        "bay 4, SAS, 600 GB, Predictive Failure)", "bay 4, SAS HDD, 600 GB, OK, spare)"
    )
    assert text != CONFIG
    things = subjects(text)
    spare = things["disk", "slot2/1I:1:4"].values
    assert (spare["interface_type"], spare["drive_type"]) == ("SAS HDD", "spare")
    assert things["hwraid", "slot2/ld1"].values["disks"] == 3


def test_a_cache_that_is_disabled_for_now_was_set_to_write_back() -> None:
    text = DETAIL.replace("Cache Status: OK", "Cache Status: Temporarily Disabled", 1)
    volume = next(each for (kind, _), each in subjects(text).items() if kind == "hwraid")
    assert volume.values["write_policy"] == "write_through"
    assert volume.values["write_policy_initial"] in {"write_back", "write_back_always"}
    whole = next(each for (kind, _), each in subjects(DETAIL).items() if kind == "hwraid")
    assert "write_policy_initial" not in whole.values


def test_an_enclosure_is_no_drive() -> None:
    """What stands below an enclosure's processor is not of the drive above it."""
    enclosure = subjects(DETAIL)["enclosure", "slot0/380"].values
    assert (enclosure["wwid"], enclosure["firmware_version"]) == ("5001438028842E1F", "RevB")
    modules = f"{DETAIL}      SEP: (1) 2.16\n      Backplane Module (BPM): (1) 2.06, (2) 2.06\n"
    assert subjects(modules)["enclosure", "slot0/380"].values.items() >= {
        "sep": "(1) 2.16", "backplane_module_bpm": "(1) 2.06, (2) 2.06",
    }.items()  # fmt: skip
    drive = subjects(DETAIL)["disk", "slot0/1I:1:5"].values
    assert not drive.keys() & {"wwid", "firmware_version", "vendor_id"}
    cage = DETAIL.replace(
        "   Array: A\n",
        "   Internal Drive Cage at Port 1I, Box 1, OK\n      Drive Bays: 4\n\n   Array: A\n",
    )
    assert subjects(cage)["enclosure", "slot0/1I:1"].values == {"state": "ok", "drive_bays": 4}
    assert "drive_bays" not in subjects(cage)["controller", "slot0"].values


def test_sensors_by_their_numbers() -> None:
    sensors = "".join(
        f"   Sensor ID: {number}\n      Location: {place}\n      Current Value (C): {heat}\n"
        f"      Max Value Since Power On: {most}\n"
        for number, place, heat, most in ((0, "Inlet Ambient", 23, 28), (1, "ASIC", 44, 57))
    )
    text = DETAIL.replace("   Driver Name: hpsa\n", f"   Driver Name: hpsa\n{sensors}")
    values = subjects(text)["controller", "slot0"].values
    assert (values["sensor_0_location"], values["sensor_1_location"]) == ("Inlet Ambient", "ASIC")
    assert (values["sensor_0_current_value_c"], values["sensor_1_current_value_c"]) == (23, 44)
    assert values["sensor_1_max_value_since_power_on"] == 57
    assert "sensor_id" not in values


def test_an_array_says_its_state_and_space() -> None:
    array = subjects(DETAIL)["drive_group", "slot0/A"].values
    assert (array["state"], array["array_type"]) == ("failed physical drive", "Data")
    assert (array["used_space"], array["unused_space"]) == (round(1.1 * 1024 * GIB), 0)


def test_a_logical_drive_has_the_name_of_its_device() -> None:
    values = subjects(DETAIL)["hwraid", "sda"].values
    assert (values["cylinders"], values["full_stripe_size"]) == (65535, 768 * 1024)
    assert (values["os_status"], values["caching"]) == ("LOCKED", "Enabled")
    assert (
        values.items()
        >= {
            "controller": "slot0",
            "volume": "slot0/ld1",
            "drive_group": "A",
            "raid_level": "raid5",
            "state": "degraded",
            "size": round(838.1 * GIB),
            "disks": 4,
            "data_disks": 3,
            "strip_size": 256 * 1024,
            "write_policy": "write_back_always",
            "disk_cache": "enabled",
            "identifier": "600508b1001c7a6e0d2b1c3d4e5f6071",
        }.items()
    )


def test_physical_drives() -> None:
    printed_subjects = subjects(DETAIL)
    assert [name for kind, name in printed_subjects if kind == "disk"] == [
        "slot0/1I:1:1", "slot0/1I:1:2", "slot0/1I:1:3", "slot0/1I:1:4", "slot0/1I:1:5",
    ]  # fmt: skip
    assert printed_subjects["disk", "slot0/1I:1:2"].values["state"] == "failed"
    assert printed_subjects["disk", "slot0/1I:1:1"].values["rpm"] == 10_000
    solid = printed_subjects["disk", "slot0/1I:1:5"].values
    assert (solid["rotational"], solid["transport"]) == (False, "sata")
    assert (solid["logical_block_size"], solid["physical_block_size"]) == (512, 4096)


def test_the_short_form_says_level_and_state_in_one_line() -> None:
    printed_subjects = subjects(CONFIG)
    first, second = (
        printed_subjects["hwraid", "slot2/ld1"].values,
        printed_subjects["hwraid", "slot2/ld2"].values,
    )
    assert (first["raid_level"], first["disks"], first["data_disks"]) == ("raid10", 4, 2)
    assert (second["state"], second["active_operations"]) == ("rebuild", "36% complete")
    assert printed_subjects["disk", "slot2/1I:1:4"].values["state"] == "predictive failure"
    assert printed_subjects["disk", "slot2/2I:1:7"].values["rotational"] is False


def test_the_status_of_several_controllers() -> None:
    printed_subjects = subjects(STATUS)
    assert printed_subjects["controller", "slot0"].values["battery"] == "charging"
    assert (
        printed_subjects["controller", "slot0"].values["model"]
        == "HPE Smart Array P408i-a SR Gen10"
    )
    assert printed_subjects["controller", "slot2"].values["battery"] == "ok"


@pytest.mark.parametrize(
    ("was", "now", "policy"),
    [
        ("No-Battery Write Cache: Enabled", "No-Battery Write Cache: Disabled", "write_back"),
        ("Caching:  Enabled", "Caching:  Disabled", "write_through"),
        ("Caching:  Enabled", "Array Accelerator: Enabled", "write_back_always"),
        ("Cache Status: OK", "Cache Status: Temporarily Disabled", "write_through"),
        ("10% Read / 90% Write", "100% Read / 0% Write", "write_through"),
        ("Caching:  Enabled", "Heads: 255", None),
    ],
)
def test_write_back_needs_caching_a_share_for_writes_and_power(
    was: str, now: str, policy: str | None
) -> None:
    values = subjects(DETAIL.replace(was, now))["hwraid", "sda"].values
    assert values.get("write_policy") == policy


@pytest.mark.parametrize("text", [DETAIL, CONFIG, STATUS], ids=["detail", "config", "status"])
def test_it_survives_what_happens_to_pasted_text(text: str) -> None:
    expected = {key: dict(subject.values) for key, subject in subjects(text).items()}
    for name, mangling in mangled(text):
        values_by_thing = {key: dict(subject.values) for key, subject in subjects(mangling).items()}
        assert values_by_thing == expected, name


def test_a_slot_in_a_sentence_is_no_controller() -> None:
    assert read("We put the card in Slot 2 of the server, next to the physicaldrive cage.") == []


def test_an_array_that_has_failed_and_one_with_room() -> None:
    text = (
        "Smart Array P410 in Slot 3\n\n   array A (SAS, Unused Space: 2  GB)\n\n"
        "      logicaldrive 1 (100.0 GB, RAID 1, OK)\n\n   array B (Failed)\n\n"
        "      logicaldrive 2 (1.0 TB, RAID 5, OK)\n"
    )
    volumes = {name: thing.values for (_, name), thing in subjects(text).items()}
    assert volumes["slot3/ld1"]["unused_space"] == 2 * GIB
    assert "array_state" not in volumes["slot3/ld1"]
    assert volumes["slot3/ld2"]["array_state"] == "failed"


def test_how_long_a_drive_runs_and_how_worn_it_is() -> None:
    ssd = (
        "Smart Array P408i-a SR Gen10 in Slot 3\n   Array: B\n      physicaldrive 2I:1:4\n"
        "         Status: OK\n         Interface Type: Solid State SATA\n         Size: 960 GB\n"
        "         Firmware Revision: HPG3\n         Maximum Temperature (C): 47\n"
        "         Usage remaining: 97.50%\n         Power On Hours: 4100\n"
    )
    values = subjects(ssd)["disk", "slot3/2I:1:4"].values
    assert (values["media_wear"], values["power_on_time"]) == (0.025, 4100 * 3600)
    assert (values["firmware"], values["maximum_temperature"]) == ("HPG3", 47)
    assert "media_wear" not in subjects(ssd.replace("97.50%", "N/A"))["disk", "slot3/2I:1:4"].values


def test_an_expander_is_none_of_the_volume_above() -> None:
    text = """\
Smart Array P440ar in Slot 2                     (sn: PDNLH0BRH0AAAA)

   array A (SAS, Unused Space: 0  MB)

      logicaldrive 1 (558.7 GB, RAID 1, OK)

      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 600 GB, OK)
      physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 600 GB, OK)

   Enclosure SEP (Vendor ID HPE, Model 12G SAS Exp Card) 377  (WWID: 500143801525AABC)

   Expander 378  (WWID: 500143801525AABD, Port: 1I, Box: 1)
"""
    things = subjects(text)
    assert not [name for name in things["hwraid", "slot2/ld1"].values if "expander" in name]
    assert things["enclosure", "slot2/378"].values["wwid"] == "500143801525AABD"
    assert things["enclosure", "slot2/377"].values["model"] == "12G SAS Exp Card"
