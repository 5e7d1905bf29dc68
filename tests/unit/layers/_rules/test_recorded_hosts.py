"""Rules on arrays, queues and alignment at recorded hosts: what is wrong there, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_capture
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.layers._raid import findings as raid
from iosonde.layers._rules import alignment
from iosonde.layers.disk import findings as queue
from iosonde.layers.disk import findings_sectors as sectors
from iosonde.layers.md import findings as md
from iosonde.layers.partition import findings as partition
from iosonde.layers.xfs import findings as log
from iosonde.stack.discover import discover
from tests.recordings.nfs_client import nfs_client
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath
from tests.recordings.sata_md_lvm import sata_md_lvm
from tests.unit.explain.cases import findings_named

PLACE = Path(__file__).parents[3] / "recordings"
RULES = (
    *alignment.RULES, *partition.RULES, *sectors.RULES, *log.RULES, *queue.RULES, *raid.RULES,
    *md.RULES,
)  # fmt: skip


async def raised_on(host: Host) -> set[tuple[str, str, str]]:
    case = of_capture(await discover((host,)), "recording")
    return {
        (finding.severity, finding.rule, finding.subject.partition(": ")[2])
        for finding in findings_named(RULES, case)
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Made with `-E stripe_width=128`; far copies of four members are striped over all four.
        ("uml-md-lvm-xfs", {("warning", "misaligned", "/run/srv")}),
        ("uml-lvm-kinds", set()),
        ("uml-mapped", set()),
        ("uml-nfs", set()),
        ("vm_loops", set()),
        ("uml-lost-disk", {("error", "degraded", "md0")}),
        ("uml-md-trouble", {  # md0 is being rebuilt, with all of its members
            ("error", "degraded", "md1"),
            ("warning", "degraded", "md0"), ("warning", "background-work", "md1"),
            ("warning", "background-work", "md2"),
        }),
    ],
)  # fmt: skip
async def test_real_kernels(name: str, expected: set[tuple[str, str, str]]) -> None:
    assert await raised_on(await open_host(f"recording:{PLACE / name}")) == expected


async def test_composed_hosts() -> None:
    assert await raised_on(nfs_client().host()) == set()
    assert await raised_on(san_multipath().host()) == set()
    assert await raised_on(nvme_crypt().host()) == {("warning", "misaligned", "sda1")}
    assert await raised_on(sata_md_lvm().host()) == {
        ("error", "degraded", "md1"), ("warning", "misaligned", "sdd2"),
    }  # fmt: skip
