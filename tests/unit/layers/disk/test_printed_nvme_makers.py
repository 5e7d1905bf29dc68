"""Logs of makers of NVMe drives. Oracle: the figures that the samples were composed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.disk.printed_nvme_makers import NvmeMakersLog
from iosonde.records.printed import Unread
from tests.mangle import counters, cut, folded, read

OUTPUTS = Path(__file__).parents[3] / "outputs" / "nvme-logs-composed"
WDC, MICRON = ((OUTPUTS / f"{name}.txt").read_text() for name in ("wdc", "micron"))


def _logs(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (log.name, dict(log.values)) for log in counters(text) if log.tool == NvmeMakersLog.tool
    ]


def test_pages_of_western_digital() -> None:
    speed, wear, d0, end, nand, cloud = _logs(WDC)
    assert [name for name, _ in (d0, end, nand, cloud)] == ["nvme4", "nvme5", "nvme6", "nvme7n1"]
    assert speed[1]["host_read_blocks"] == 8 * 40960
    assert speed[1]["average_read_size"] == 8
    assert speed[1]["host_read_cache_hit_share"] == 10240 / 40960
    assert wear[1]["nand_bytes_written"] == 5 * 2**40
    assert wear[1]["system_data_used_share"] == 0.07
    assert wear[1]["free_blocks_share"] == 0.44
    assert d0[1]["lifetime_power_on_hours"] == 20480
    assert d0[1]["capacitor_health_share"] == 0.97
    assert end[1] == {"realloc_block_count": 9, "write_amp": 135, "percent_life_remaining": 91}
    assert nand[1]["cloud_boot_ssd_spec_version"] == "1.2.3.4"
    assert nand[1]["physical_media_units_written_tlc"] == 2 * 2**40
    assert cloud[1]["physical_media_units_written"] == 4 * 2**40
    assert cloud[1]["thermal_throttling_status_current_status"] == "Unthrottled"


def test_pages_of_micron_are_hexadecimal() -> None:
    bare, page = _logs(MICRON)
    assert (bare[0], page[0]) == ("nvme8", "nvme9")
    assert bare[1]["physical_media_units_written_tlc"] == 2**40
    assert bare[1]["bad_user_nand_block_count_raw"] == 31
    assert page[1]["uncorrectable_read_error_count"] == 6
    assert page[1]["physical_media_units_read"] == 2**39


@pytest.mark.parametrize("text", [
    "Physical Media Units Written is a figure of the SMART Cloud Attributes.\n",
    "NAND Statistics :-\nare what the drive counts\n",
    "SMART Extended Log:0xC0\nis not supported: by this drive\n",
])  # fmt: skip
def test_what_speaks_of_them_is_none(text: str) -> None:
    assert _logs(text) == []


def test_a_row_without_its_figure_is_left_out() -> None:
    text = WDC.replace("327680", "")
    ((_, values), *_) = _logs(text)
    assert "host_read_blocks" not in values
    assert values["nand_read_before_write"] == 0  # the rows below it are read
    broken = next(part for part in read(text) if isinstance(part, Unread))
    assert (broken.reason, text.split("\n")[broken.place.first_line - 1].split()) == (
        "its row is broken", ["Host", "Read", "Blocks"],
    )  # fmt: skip


def test_a_figure_that_is_torn_off_is_no_other() -> None:
    whole = [each for _, values in _logs(WDC) for each in values.items()]
    for text in (cut(WDC, 60), folded(WDC, 72), cut(WDC, 66)):
        figures = [each for _, values in _logs(text) for each in values.items()]
        assert figures
        assert all(each in whole for each in figures)
    assert ("uncorrectable_read_count", 2) in figures  # below what was torn
    assert "nand_bytes_read" not in dict(figures)


@pytest.mark.parametrize("text", [WDC, MICRON], ids=["wdc", "micron"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_remark_below_it_is_none_of_its_figures(text: str, gap: str) -> None:
    assert _logs(f"{text.rstrip()}{gap}Ticket: 48151\n") == _logs(text)
