"""Devices that ran without the cache that held a part of their data, or wait for it."""

from __future__ import annotations

import pytest

from iosonde.layers.bcache import findings_state
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of, findings_named

SUPER = """# bcache-super-show /dev/sdb1
sb.magic		ok
sb.version		1 [backing device]
dev.uuid		d1a1b3c4-1111-4222-8333-123456789abc
dev.data.first_sector	16
dev.data.cache_mode	{}
dev.data.cache_state	{}
"""
STATUS = """# bcache-status
--- Backing Device ---
  Device File               /dev/sdb (8:16)
  bcache Device File        /dev/bcache0 (252:0)
  Cache Mode                writethrough [writeback] writearound none
  State                     {}
"""


def said(text: str) -> list[Finding]:
    return findings_named(findings_state.RULES, case_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "# cat /sys/block/bcache0/bcache/state\ninconsistent\n",
        SUPER.format("1 [writeback]", "3 [inconsistent]"),
        STATUS.format("inconsistent"),
    ],
)
def test_a_device_that_was_started_by_force(text: str) -> None:
    (finding,) = said(text)
    assert (finding.rule, finding.severity) == ("cache-lost", "error")
    assert "Copy the slow device" in finding.remedy


def test_a_cache_that_wrote_through_held_nothing_alone() -> None:
    (finding,) = said(SUPER.format("0 [writethrough]", "3 [inconsistent]"))
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "text",
    [
        "# grep . /sys/block/sdb/bcache/{state,running}\n"
        "/sys/block/sdb/bcache/state:dirty\n/sys/block/sdb/bcache/running:0\n",
        "[ 1933.455082] bcache: bch_cached_dev_attach() Couldn't find uuid for sdb in set\n",
    ],
)
def test_a_device_that_waits_for_its_cache_is_not_started_by_force(text: str) -> None:
    (finding,) = said(text)
    assert finding.subject.endswith("sdb")
    assert "bring back its own cache device" in finding.remedy
    assert "Do not start it by force" in finding.remedy


@pytest.mark.parametrize(
    "text",
    [
        "# cat /sys/block/bcache0/bcache/state\ndirty\n",
        SUPER.format("1 [writeback]", "2 [dirty]"),
        SUPER.format("1 [writeback]", "0 [detached]"),
        STATUS.format("dirty"),
        STATUS.format("clean"),
        "# grep . /sys/block/sdb/bcache/{state,running}\n"
        "/sys/block/sdb/bcache/state:clean\n/sys/block/sdb/bcache/running:0\n",
        "[ 1933.455082] bcache: bch_cached_dev_attach() Caching sdb as bcache0 on set "
        "0996dd9d-e579-8121-e8fa-462d6e85bda6\n",
    ],
)
def test_devices_that_have_their_cache_or_need_none(text: str) -> None:
    assert said(text) == []
