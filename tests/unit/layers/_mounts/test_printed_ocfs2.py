"""OCFS2's tools. Oracle: blocks and clusters of the sample times their size are the volume."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "ocfs2-composed" / "tools.txt").read_text()


def test_labels_nodes_and_what_is_made() -> None:
    listed, mounted = subjects_in(TEXT, "mounted.ocfs2")
    assert listed.values == {
        "fstype": "ocfs2", "stack": "o2cb", "cluster": "mycluster", "label": "ocfs2vol",
        "uuid": "DC5A3B0B0E7A4A2D8E1F2C3B4A596877",
    }  # fmt: skip
    assert (mounted.name, mounted.values["nodes"]) == ("sdb", "node1, node2")
    (made,) = subjects_in(TEXT, "mkfs.ocfs2")
    assert made.values["size"] == 2621440 * 4096
    assert (made.values["block_size"], made.values["cluster_size"]) == (4096, 4096)
    assert (made.values["journal_size"], made.values["node_slots"]) == (64 << 20, 4)
    assert (made.name, made.host) == ("sdb", "heron")


def test_what_is_cut_says_nothing() -> None:
    text = "mkfs.ocfs2 1.8.6\nCluster stack: classic o2cb\n"
    assert not subjects_in(text, "mkfs.ocfs2")
    assert unread_in(text)


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    given, expected = (subjects_in(each, "mounted.ocfs2", "mkfs.ocfs2") for each in (text, TEXT))
    assert [(each.name, each.values) for each in given] == [
        (each.name, each.values) for each in expected
    ], shape
