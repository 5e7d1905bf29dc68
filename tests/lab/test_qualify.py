"""SSDs qualified as SNIA's specification has it, on an NVMe drive with the shape of one.

The drive is real to the guest's kernel and its tools: it is purged, preconditioned, and asked for
its SMART log. Only rounds, matrix and drive are smaller than the standard's: 2 s instead of a
minute, two points, 64 MiB. The criterion is the standard's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from iosonde.lab.state import find
from tests.lab.conftest import good, iosonde, running, ssh
from tests.lab.ssd import ShapedDrive

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME = "qualify"
CAPACITY = 64 << 20
TRACKED = "pts-iops rwmixread=0"
STUDY = """
study: pts-short
targets: 'lab:qualify/n1:/dev/nvme0n1'
prepare: {discard: true, precondition: 2 passes, bs: 128 KiB}
until: {steady: true, passes: PASSES, track: {rwmixread: 0}, metric: iops}
order: declared
seconds: 2
loads:
  - name: pts-iops
    fio:
      ioengine: libaio
      direct: true
      rw: randrw
      rwmixread: [100, 0]
      bs: [4k]
      iodepth: 32
      norandommap: true
      randrepeat: false
      refill_buffers: true
      time_based: true
      runtime: 2
"""


@pytest.fixture(scope="module")
def node() -> Iterator[Path]:
    """Directory of the node that has the drive."""
    drive = ("--nodes", "1", "--disks", "1", "--size", "64M", "--bus", "nvme")
    with running(NAME, "--name", NAME, *drive):
        yield find(NAME).directory / "n1"


def qualified(tmp_path: Path, passes: int) -> Any:
    """The run as JSON, after it is measured."""
    study = tmp_path / "study.yaml"
    study.write_text(STUDY.replace("PASSES", str(passes)))
    page = tmp_path / "page.html"
    arguments = ("--destroy", "/dev/nvme0n1", "--report", page, "--json")
    return good("run", study, *arguments, timeout=900).document


def raw_rates() -> list[float]:
    """What fio itself printed of the tracked point, round after round."""
    text = good("export", "last", "--raw").out
    rates = []
    for part in re.split(r"^== run ", text, flags=re.MULTILINE):
        if TRACKED in part.partition("\n")[0]:
            document = part[part.index("=== fio.json") :].partition("\n")[2]
            job = json.JSONDecoder().raw_decode(document.lstrip())[0]["jobs"][0]
            rates.append(float(job["write"]["iops"] + job["read"]["iops"]))
    return rates


def plain_window(rates: list[float]) -> tuple[int, int] | None:
    """The first five rounds that are steady (PTS 2.0.2, 2.1.24), by NumPy's own line."""
    for last in range(5, len(rates) + 1):
        window = np.array(rates[last - 5 : last])
        slope = np.polyfit(np.arange(5), window, 1)[0]
        if np.ptp(window) <= 0.2 * window.mean() and abs(4 * slope) <= 0.1 * window.mean():
            return last - 4, last
    return None


def thermal() -> list[str]:
    """What `explain` says of heat."""
    ended = iosonde("explain", "last", "--json")
    return [
        finding["message"] for finding in ended.document["findings"]
        if finding["rule"] == "temperature-throttling"
    ]  # fmt: skip


def test_the_steady_window_of_an_ssd_is_found(node: Path, tmp_path: Path) -> None:
    ssh(NAME, "n1", "nvme", "format", "/dev/nvme0n1", "--ses=1", "--force")
    with ShapedDrive(node) as drive:
        before = drive.written
        document = qualified(tmp_path, 25)
        assert drive.purges >= 1
        assert drive.written - before >= 2 * CAPACITY
    (window,) = document["steady"]
    rates = raw_rates()
    assert window["values"] == pytest.approx(rates)
    assert window["reached"]
    assert (window["first"], window["last"]) == plain_window(rates)
    assert window["last"] == len(rates) > 5  # there was a cliff
    assert rates[0] > 1.3 * window["mean"]
    assert window["alarms"] == []
    assert thermal() == []


def test_a_thermal_throttle_is_found_and_spoils_the_window(node: Path, tmp_path: Path) -> None:
    with ShapedDrive(node, fast=300.0, hot_after=3000, warns=True) as drive:
        document = qualified(tmp_path, 7)
        assert drive.cooked
    (window,) = document["steady"]
    rates = raw_rates()
    assert window["values"] == pytest.approx(rates)
    assert plain_window(rates) is None
    assert not window["reached"]
    assert window["alarms"] == ["temperature-throttling"]
    assert any("warned that its temperature" in message for message in thermal())


def test_a_drive_that_only_slows_down_is_not_called_hot(node: Path, tmp_path: Path) -> None:
    with ShapedDrive(node, fast=300.0, hot_after=3000) as drive:
        document = qualified(tmp_path, 7)
        assert drive.cooked
    (window,) = document["steady"]
    assert plain_window(raw_rates()) is None
    assert not window["reached"]
    assert window["alarms"] == []
    assert thermal() == []
