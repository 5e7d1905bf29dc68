"""What is said of the volumes in the samples, and what is no fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.gluster.findings import RULES
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "gluster-composed"


def said(path: Path) -> list[tuple[str, str, str]]:
    names = {rule.name for rule in RULES}
    return sorted(
        (finding.rule, finding.severity, finding.subject)
        for finding in explain(str(path)).findings
        if finding.rule in names
    )


def test_bricks_that_are_offline() -> None:
    assert said(OUTPUTS / "status.txt") == [("degraded", "warning", "elm:/bricks/b1/homes")]
    assert said(OUTPUTS / "detail.txt") == [("degraded", "warning", "elm:/bricks/s/brick")]


def test_a_distributed_volume_has_no_other_copy(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text((OUTPUTS / "info.txt").read_text() + (OUTPUTS / "detail.txt").read_text())
    assert said(page) == [("degraded", "error", "elm:/bricks/s/brick")]


def test_what_waits_to_be_healed_and_what_cannot_be() -> None:
    oak, elm = "oak:/bricks/b1/homes", "elm:/bricks/b1/homes"
    for name in ("heal", "heal-summary"):
        assert said(OUTPUTS / f"{name}.txt") == [
            ("degraded", "warning", elm), ("heal-pending", "warning", oak),
            ("split-brain", "error", oak),
        ], name  # fmt: skip


def test_an_old_list_of_split_brain_counts_nothing_else() -> None:
    assert said(OUTPUTS / "heal-old.txt") == [("split-brain", "error", "oak:/bricks/b1/homes")]


def test_two_copies_without_an_arbiter() -> None:
    assert said(OUTPUTS / "info-pair.txt") == [("split-brain-risk", "warning", "pair")]
    assert said(OUTPUTS / "info.txt") == []


def test_servers_that_are_away() -> None:
    for name in ("peers", "pool"):
        assert said(OUTPUTS / f"{name}.txt") == [("lost-peer", "warning", "elm")], name


@pytest.mark.parametrize(
    "text",
    [
        "Brick a:/b\nNumber of entries: 3\n/x - Possibly undergoing heal\n"
        "/y - Possibly undergoing heal\n/z - Possibly undergoing heal\nStatus: Connected\n",
        "# gluster volume heal v info healed\n"
        "Gathering list of healed entries on volume v has been successful\n\n"
        "Brick a:/b\nNumber of entries: 2\n",
        "Hostname: a\nUuid: ce3710ea-2918-4d53-a86f-ac418608578b\n"
        "State: Probe Sent to Peer (Connected)\n",
        "Status of volume: v\nGluster process             TCP Port  RDMA Port  Online  Pid\n"
        "-------------------------------------------------------------\n"
        "Brick a:/b                  49152     0          Y       12\n"
        "NFS Server on localhost     N/A       N/A        N       N/A\n",
    ],
)
def test_what_is_no_fault(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.txt"
    page.write_text(text)
    assert said(page) == []


def test_entries_that_an_author_left_out_end_no_list(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    bricks = "\n\n".join(
        f"Brick {brick}\nNumber of entries: 12\n/a.txt\n/b.txt\n..."
        for brick in ("oak:/g", "elm:/g")
    )
    page.write_text(f"# gluster volume heal v info split-brain\n{bricks}\n")
    assert said(page) == [("split-brain", "error", "elm:/g"), ("split-brain", "error", "oak:/g")]
    page.write_text(f"# gluster volume heal v info\n{bricks}\n")
    assert {rule for rule, _, _ in said(page)} == {"heal-pending"}
