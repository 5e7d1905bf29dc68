"""lvs, vgs and pvs in other formats than tables. Oracle: the figures of the samples, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.lvm.facts import SizeUnits, size_of, units_of
from tests.mangle import mangled, states
from tests.unit.layers.lvm.test_printed import text, values_of

PLACE = Path(__file__).parents[3] / "outputs" / "lvm-2.03.16"
MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize(
    "name", ["pairs.txt", "report-std.json", "separated.txt", "bare.txt", "old.txt"]
)
def test_every_shape(name: str) -> None:
    expected = values_of(text(name))
    assert expected
    for shape, changed in mangled(text(name)):
        assert values_of(changed) == expected, shape


def test_fields_with_their_names() -> None:
    values = values_of(text("pairs.txt"))
    assert list(values) == [
        "mapper/store-mail", "mapper/store-mail_tdata", "mapper/store-mirror",
    ]  # fmt: skip
    assert values["mapper/store-mail_tdata"]["below"] == "sdc1"
    assert values["mapper/store-mail_tdata"]["first_extents"] == "sdc1:12"
    mirror = values["mapper/store-mirror"]
    assert (mirror["size"], mirror["region_size"]) == (512 * MIB, 2 * MIB)
    assert (mirror["degraded"], mirror["health"]) == (True, "partial")
    unquoted = text("pairs.txt").replace("'|", " ").replace("'", "").replace("'\n", "\n")
    unquoted = unquoted.replace("# lvs", "# lvs --unquoted").replace("0  ", "0 ")
    assert values_of(unquoted)["mapper/store-mirror"]["size"] == 512 * MIB


def test_a_report_in_json_and_what_went_to_stderr_meanwhile() -> None:
    group = values_of(text("report-std.json"))["store"]
    assert (group["size"], group["free"]) == (29347840 * 1024, GIB)
    assert (group["volumes"], group["vg_missing_pv_count"]) == (3, 1)
    full = values_of(text("fullreport-warned.json"))
    assert full["sde"] == {
        "size": 99 * GIB, "device_size": 100 * GIB, "data_offset": MIB, "attributes": "a--",
        "volume_group": "sys",
    }  # fmt: skip
    root = full["mapper/sys-root"]
    assert (root["size"], root["chunk_size"], root["stripes"]) == (88 * GIB, 64 * 1024, 2)


def test_a_separator_and_sizes_without_unit() -> None:
    values = values_of(text("separated.txt"))
    assert values["mapper/sys-home"]["size"] == 10 * GIB
    assert values["mapper/sys-thin1"]["full"] == 0.4375
    without = values_of(text("separated.txt").split("\n", 1)[1])["mapper/sys-home"]
    assert "size" not in without
    assert without["size_without_unit"] == 10240


def test_rows_without_headings_only_below_their_command() -> None:
    values = values_of(text("bare.txt"))
    assert values["store"] == {"size": round(931.51 * GIB), "free": 0, "extents": 238466}
    assert states(text("bare.txt").split("\n", 1)[1]) == []
    assert states(text("bare.txt").replace("free", "colour")) == []


def test_old_versions_print_capital_letters_for_prefixes_of_1024() -> None:
    volume = values_of(text("old.txt"))["mapper/VolGroup00-LogVol00"]
    assert (volume["size"], volume["attributes"]) == (round(146.56 * GIB), "-wi-ao")
    asked = text("old.txt").replace("# lvs", "# lvs --units G")
    assert values_of(asked)["mapper/VolGroup00-LogVol00"]["size"] == round(146.56 * 10**9)


@pytest.mark.parametrize(
    ("printed", "command", "size"),
    [("12", "lvs --units s --nosuffix", 6144), ("12", "lvs --units b --nosuffix", 12),
     ("12.50", "lvs --units=m --nosuffix", 12.5 * MIB), ("12", "", None), ("12", "lvs", None),
     ("1.00G", "", 10**9), ("1.00G", "lvs", GIB), ("1.00G", "lvs --units H", 10**9),
     ("3.00U", "lvs --units 4m", 12 * MIB), ("12", "lvs --units m", 12 * MIB)],
)  # fmt: skip
def test_units_of_a_command(printed: str, command: str, size: int | None) -> None:
    assert size_of(printed, units_of(command)) == size


def test_without_a_command_nothing_is_known_of_bare_numbers() -> None:
    assert units_of("") == SizeUnits()


def test_devices_that_lvm_uses() -> None:
    given = text("system.devices")
    expected = {
        "sdd3": {"id_type": "sys_wwid", "id_name": "naa.5002538f4321abcd",
                 "pvid": "zY9xW8vU7tS6rQ5pO4nM3lK2jI1hG0fE", "part": 3},
        "mapper/mpathb": {"id_type": "mpath_uuid", "id_name": "mpath-3600a098000aabbcc",
                          "pvid": "aA1bB2cC3dD4eE5fF6gG7hH8iI9jJ0kK"},
    }  # fmt: skip
    for shape, changed in mangled(given, wraps=False):
        assert values_of(changed) == expected, shape
    assert states(given.replace("IDNAME", "NAME")) == []


def test_a_sentence_below_is_no_rest_of_a_row() -> None:
    row = (
        "  LVM2_LV_NAME=home LVM2_VG_NAME=sys LVM2_LV_SIZE=1.00g LVM2_SEGTYPE=linear "
        "LVM2_STRIPES=1\n"
    )
    below = f"Now x = 7 is what I would expect of it: {'a' * (len(row) - 41)}\n"
    values = values_of(row + below)["mapper/sys-home"]
    assert (values["size"], values["stripes"]) == (GIB, 1)
