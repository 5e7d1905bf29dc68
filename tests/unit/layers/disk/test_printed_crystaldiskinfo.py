"""CrystalDiskInfo's report. Oracle: 1 GB of size is 10^9 bytes, of host reads 2^30; NVMe's log."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, subjects_in

SAMPLE = (
    Path(__file__).parents[3] / "outputs" / "windows-composed" / "crystaldiskinfo.txt"
).read_text()  # fmt: skip
TOOL = "CrystalDiskInfo"
GIB = 1 << 30


def drives(text: str) -> dict[str, dict[str, Scalar]]:
    return {each.name: dict(each.values) for each in subjects_in(text, TOOL)}


def test_each_drive_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        said = drives(given)
        assert list(said) == ["ACME Flash 512", "ACME Disk 4000"], shape
        flash, disk = said["ACME Flash 512"], said["ACME Disk 4000"]
        assert (flash["size"], disk["size"]) == (512_100_000_000, 4_000_700_000_000), shape
        assert (flash["read"], flash["written"]) == (10 * GIB, 20 * GIB)
        assert (flash["power_on_time"], flash["power_cycles"]) == (1200 * 3600, 340)
        assert (flash["health"], flash["life_left"]) == ("Good", 0.94)
        assert (flash["media_wear"], flash["unsafe_shutdowns"]) == (0.06, 12)
        assert flash["temperature"] == 41
        assert (disk["health"], disk["sectors"]) == ("Caution", 7_814_037_168)
        assert (disk["cache_size"], disk["rotation_rate"]) == (256 << 20, "5400 RPM")
        assert (disk["reallocated_sectors"], disk["pending_sectors"]) == (8, 3)
        assert "minor_version" not in disk
        assert "apm_level" not in disk


def test_gigabytes_of_reads_are_those_of_the_log() -> None:
    flash = drives(SAMPLE)["ACME Flash 512"]
    units = 0x524D * 512_000  # Data Units Read
    assert abs(units - int(flash["read"] or 0)) < GIB


def test_attributes_keep_their_raw_values() -> None:
    rows = [each for each in counters(SAMPLE, TOOL) if each.name == "ACME Disk 4000"]
    assert rows[0].values["attributes"] == [
        {"id": 5, "name": "Reallocated Sectors Count", "value": 198, "worst": 198,
         "threshold": 140, "raw": 8},
        {"id": 9, "name": "Power-On Hours", "value": 59, "worst": 59, "threshold": 0,
         "raw": 30411},
        {"id": 197, "name": "Current Pending Sector Count", "value": 200, "worst": 200,
         "threshold": 0, "raw": 3},
        {"id": 199, "name": "UltraDMA CRC Error Count", "value": 200, "worst": 200,
         "threshold": 0, "raw": 0},
    ]  # fmt: skip


def test_one_drive_without_the_head_and_in_another_language() -> None:
    start = SAMPLE.index("           Model : ACME Flash")
    alone = SAMPLE[start : SAMPLE.index("-- S.M.A.R.T.")]
    translated = alone.replace("Good (94", "正常 (94").replace("1200 hours", "1200 時間")
    for given in (alone, translated):
        assert drives(given)["ACME Flash 512"]["power_on_time"] == 1200 * 3600
    assert drives(translated)["ACME Flash 512"]["health"] == "正常"


@pytest.mark.parametrize("text", [
    "CrystalDiskInfo 9 shows the health of a drive.\n",
    "   Health Status : Good\n",
    "Power On Hours : 12\nPower On Count : 3\nHealth Status : OK\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not drives(text)
