"""Virtual drives, adapters, batteries and drives as MegaCli prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "megacli-8"
TEXTS = {path.stem: path.read_text() for path in sorted(PLACE.glob("*.txt"))}
VOLUMES = TEXTS["ldinfo"]
GIB = 1 << 30


def subjects(text: str) -> dict[tuple[str, str], PrintedSubject]:
    return {
        (subject.kind, subject.name): subject
        for state in states(text)
        for subject in state.subjects
    }


def test_virtual_drives() -> None:
    (state,) = states(VOLUMES)
    assert state.host == "db1"
    assert state.command == "/opt/MegaRAID/MegaCli/MegaCli64 -LDInfo -Lall -aALL"
    printed_subjects = subjects(VOLUMES)
    assert [key[1] for key in printed_subjects] == ["c0/v0", "c0/v1", "c0/v2"]
    assert printed_subjects["hwraid", "c0/v1"].values == {
        "controller": "c0",
        "volume": "c0/v1",
        "raid_level": "raid5",
        "state": "degraded",
        "size": round(3.637 * 1024 * GIB),
        "disks": 5,
        "data_disks": 4,
        "strip_size": 256 * 1024,
        "write_policy": "write_back_always",
        "write_policy_initial": "write_back_always",
        "read_ahead": False,
        "io_policy": "cached",
        "disk_cache": "enabled",
        "encryption": "None",
        "spans": 1,
        "logical_block_size": 512,
        "parity_size": round(931 * GIB),
        "target_id": 1,
        "cache_policy": "WriteBack, ReadAheadNone, Cached, Write Cache OK if Bad BBU",
        "cache_policy_initial": "WriteBack, ReadAheadNone, Cached, Write Cache OK if Bad BBU",
        "default_access_policy": "Read/Write",
        "current_access_policy": "Read/Write",
        "bad_blocks_exist": "No",
        "is_vd_cached": "No",
    }
    first = printed_subjects["hwraid", "c0/v0"].values
    assert (first["name"], first["mirror_data"], first["target_id"]) == ("system", "465.25 GB", 0)
    assert str(first["cache_policy"]) in VOLUMES


def test_the_current_policy_counts() -> None:
    values = subjects(VOLUMES)["hwraid", "c0/v0"].values
    assert values["write_policy"] == "write_through"
    assert values["write_policy_initial"] == "write_back"
    assert values["read_ahead"] is True
    assert values["disk_cache"] == "default"


def test_drives_per_span_make_a_striped_mirror() -> None:
    values = subjects(VOLUMES)["hwraid", "c0/v2"].values
    assert (values["raid_level"], values["disks"], values["data_disks"]) == ("raid10", 8, 4)
    assert values["strip_size"] == 1 << 20


def test_the_adapter_and_its_cache() -> None:
    values = subjects(TEXTS["adpallinfo"])["controller", "c0"].values
    named = {
        "model": "LSI MegaRAID SAS 9260-8i", "firmware": "2.130.354-1664", "cache_size": 512 << 20,
        "serial": "SV00000001", "fw_package_build": "12.12.0-0124", "mfg_date": "04/12/11",
        "sas_address": "500605b000000002", "bbu": "Present", "alarm": "Present",
    }  # fmt: skip
    assert {name: values[name] for name in named} == named


def test_what_an_adapter_supports_is_not_what_it_has() -> None:
    values = subjects(TEXTS["adpallinfo"])["controller", "c0"].values
    assert (values["bbu"], values["supported_bbu"]) == ("Present", "Yes")
    assert values["supported_rebuild_rate"] == "Yes"
    assert "rebuild_rate" not in values


@pytest.mark.parametrize(
    ("was", "now", "battery"),
    [
        ("", "", "learning"),
        ("Active                      : Yes", "Active                      : No", "ok"),
        ("Battery Pack Missing                    : No",
         "Battery Pack Missing                    : Yes", "missing"),
        ("Battery Replacement required            : No",
         "Battery Replacement required            : Yes", "failed"),
        ("Battery State: Optimal", "Battery State: Degraded(Charging)", "learning"),
    ],
)  # fmt: skip
def test_the_battery(was: str, now: str, battery: str) -> None:
    text = TEXTS["bbu"].replace(was, now) if was else TEXTS["bbu"]
    assert subjects(text)["controller", "c0"].values["battery"] == battery


def test_a_battery_that_is_not_operational_is_no_good_one() -> None:
    text = TEXTS["bbu"].replace("Active                      : Yes", "Active : No")
    text = text.replace("Battery State: Optimal", "Battery State     : Non Operational")
    assert subjects(text)["controller", "c0"].values["battery"] == "failed"


def test_the_charge_and_the_voltage_of_a_battery() -> None:
    values = subjects(TEXTS["bbu"])["controller", "c0"].values
    assert (values["battery_voltage"], values["battery_current"]) == ("4012 mV", "-527 mA")
    assert (values["battery_temperature"], values["charger_system_state"]) == ("31 C", 1)
    assert values["auto_learn_period"] == "28 Days"
    assert (values["charging_status"], values["auto_learn_mode"]) == ("Discharging", "Enabled")
    assert (values["batterytype"], values["learn_cycle_status"]) == ("iBBU", "OK")
    named = TEXTS["bbu"].replace("Absolute State of charge", "Absolute state of charge")
    assert subjects(named)["controller", "c0"].values["absolute_state_of_charge"] == "52 %"
    sensors = "Adapter #0\nFW Package Build: 12.7\nROC temperature : 61 degree Celsius\n"
    assert "battery_temperature" not in subjects(sensors)["controller", "c0"].values


def test_a_battery_that_charges_or_is_not_there() -> None:
    charging = TEXTS["bbu"].replace("Active                      : Yes", "Active : No")
    charging = charging.replace("Status              : Discharging", "Status : Charging")
    assert subjects(charging)["controller", "c0"].values["battery"] == "charging"
    assert subjects(TEXTS["nobbu"])["controller", "c1"].values == {"battery": "missing"}
    assert "battery_state" not in subjects(TEXTS["nobbu"])["controller", "c1"].values


def test_physical_drives() -> None:
    printed_subjects = subjects(TEXTS["pdlist"])
    good, bad = (
        printed_subjects["disk", "c0/e252/s0"].values,
        printed_subjects["disk", "c0/e252/s3"].values,
    )
    assert (good["state"], good["rotational"], good["transport"]) == ("online", True, "sas")
    assert good["size"] == round(465.761 * GIB)
    assert "logical_block_size" not in good
    assert (bad["state"], bad["media_errors"], bad["predicted_failures"]) == ("failed", 12, 2)
    assert (good["other_errors"], bad["other_errors"]) == (0, 50)
    assert bad["logical_block_size"] == 512
    assert (good["coerced_size"], good["non_coerced_size"]) == (
        round(465.25 * GIB), round(465.261 * GIB),
    )  # fmt: skip
    assert (good["device_id"], good["sequence_number"], good["firmware"]) == (11, 2, "0003")
    assert "enclosure_position" not in good
    assert (bad["drive_group"], bad["span"], bad["arm"]) == ("1", 0, 2)
    assert good["inquiry_data"] == "SEAGATE ST9500620SS 0003 9XF00001"
    assert (good["spin_state"], good["wwn"]) == ("up", "5000C500A1B2C3D5")
    assert "spin_state" not in bad


@pytest.mark.parametrize("name", list(TEXTS))
def test_it_survives_what_happens_to_pasted_text(name: str) -> None:
    expected = {key: dict(subject.values) for key, subject in subjects(TEXTS[name]).items()}
    for way, mangling in mangled(TEXTS[name]):
        values_by_thing = {key: dict(subject.values) for key, subject in subjects(mangling).items()}
        for key, values in values_by_thing.items():
            if "inquiry_data" in expected[key] and way != "as it is":  # a torn one is left out
                values.setdefault("inquiry_data", expected[key]["inquiry_data"])
        assert values_by_thing == expected, way


def test_a_sentence_about_firmware_is_no_output() -> None:
    assert read("Firmware state: see the list of drives.\nBattery State is shown elsewhere.") == []
