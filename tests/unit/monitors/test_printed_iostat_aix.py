"""iostat of AIX. Oracle: transfers of one size are the rate, shares add up, queues are λW."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs/monitors-composed/iostat-aix.txt").read_text()


def rows(text: str) -> list[tuple[str, dict[str, float]]]:
    return [(row.name, cast("dict[str, float]", row.values)) for row in counters(text, "iostat")]


def test_all_forms_in_every_shape() -> None:
    names = ["", "hdisk0", "hdisk4", "cd0"] * 2 + ["hdisk4"] + ["hdisk0", "hdisk4"] * 2
    for shape, given in mangled(TEXT, wraps=False):
        assert [name for name, _ in rows(given)] == names, shape


def test_the_plain_report_is_in_kib_and_its_reports_are_counted() -> None:
    host, boot, _, _, _, _, busy, _ = rows(TEXT)[:8]
    assert sum(value for name, value in host[1].items() if name.startswith("cpu_")) == 1
    assert (host[1]["processors_used"], host[1]["entitled_capacity"]) == (0.1, 0.125)
    assert boot[1]["bandwidth"] * 5 == boot[1]["read.bytes"] + boot[1]["write.bytes"]
    assert (boot[1]["report"], busy[1]["report"]) == (1, 2)
    assert busy[1]["bandwidth"] / busy[1]["iops"] == 32 * 1024
    assert busy[1]["util"] == 0.99


def test_the_extended_report_is_decimal_with_times_by_their_suffix() -> None:
    block, quiet, long = (values for _, values in rows(TEXT)[8:11])
    assert quiet["bandwidth"] == pytest.approx(quiet["iops"] * 4096, rel=1e-3)
    assert quiet["read.bandwidth"] + quiet["write.bandwidth"] == pytest.approx(65_500)
    assert block["read.bandwidth"] == 16.4e6
    assert block["read.iops"] * block["read.service_time"] == pytest.approx(4, rel=0.01)
    assert (block["read.service_time.min"], block["read.service_time.max"]) == (0.2e-3, 1.5)
    assert (block["waiting_time.max"], block["queue_full"]) == (0.1205, 12.5)
    assert {**long, "report": 0} == {**block, "report": 0}


@pytest.mark.parametrize("text", [
    TEXT[: TEXT.index("hdisk0")],
    "Disks:         % tm_act     Kbps      tps\nhdisk0   1.0  2.0  3.0\n",  # columns left out
    "Disks:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn\nhdisk0   1.0  2.0  3.0\n",
    "hdisk4          xfer:  %tm_act      bps\n                         99.0     16.4M\n",
    "% tm_act is the share of time in which a disk is busy\n",
])  # fmt: skip
def test_no_figures_of_another_form(text: str) -> None:
    assert [name for name, _ in rows(text) if name] == []
