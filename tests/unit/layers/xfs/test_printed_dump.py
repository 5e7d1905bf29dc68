"""xfsdump, xfsrestore, xfs_scrub. Oracle: the inventory says of a dump what the dump said."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.xfs.printed_dump import XfsDump, XfsDumpInventory
from iosonde.layers.xfs.printed_scrub import XfsScrub
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "xfsprogs-composed"
TEXT, SCRUB = ((OUTPUTS / name).read_text() for name in ("xfsdump.txt", "scrub.txt"))


def _counts(text: str, tool: str) -> list[tuple[str, dict[str, object]]]:
    return [(row.name, dict(row.values)) for row in counters(text, tool)]


def _sessions(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values) for subject in subjects_in(text, XfsDumpInventory.tool)
    }


def test_a_dump_and_its_session() -> None:
    (name, dump), (_, restore), *_ = _counts(TEXT, XfsDump.tool)
    session = _sessions(TEXT)[str(dump["session_id"])]
    assert (name, dump["level"], dump["status"]) == ("/pond", session["level"], "SUCCESS")
    assert (dump["date"], dump["session_label"]) == (session["time"], session["session_label"])
    assert session["size"] == int(str(dump["media_file_size"])) + 24576
    assert (dump["dump_size"], dump["estimated_size"], dump["seconds"]) == (1 << 30, 1073801216, 83)
    assert dump["messages"] == ["failed to get bulkstat information for inode 4711"]
    assert restore == {
        "session_label": "weekly", "directories": 12, "entries": 3456, "end": "complete",
        "seconds": 47, "status": "SUCCESS",
    }  # fmt: skip


def test_a_dump_that_is_piped_into_a_restore_says_both_ends() -> None:
    text = (
        "# xfsdump -J - /dev/vg/pond | xfsrestore -J - /mnt\n"
        "xfsdump: level 0 dump of host:/pond\nxfsdump: dump complete: 8 seconds elapsed\n"
        "xfsdump: Dump Status: SUCCESS\nxfsrestore: restore complete: 9 seconds elapsed\n"
        "xfsrestore: Restore Status: ERROR\n"
    )
    ((name, values),) = _counts(text, XfsDump.tool)
    assert (name, values) == ("/pond", {
        "level": 0, "of": "host:/pond", "end": "complete", "seconds": 8, "status": "SUCCESS",
        "restore_end": "complete", "restore_seconds": 9, "restore_status": "ERROR",
    })  # fmt: skip


def test_the_inventory() -> None:
    daily = _sessions(TEXT)["77a0b7f6-4f9f-4a8e-b1e2-55d1ff2a5f11"]
    assert (daily["level"], daily["subtree"], daily["resumed"], daily["streams"]) == (
        1, True, False, 0,
    )  # fmt: skip
    assert "size" not in daily


def test_a_scrub() -> None:
    ((name, scrub),) = _counts(SCRUB, XfsScrub.tool)
    assert name == "/pond"
    messages = scrub.pop("first_messages")
    assert isinstance(messages, list)
    assert len(messages) == scrub.pop("messages") == 3
    assert sum(text.startswith("Corruption") for text in messages) == scrub["corruptions_found"]
    assert scrub == {
        "phase": 7, "data_used": 3 << 29, "inodes_used": 2500, "data_found": 3 << 29,
        "inodes_found": 2400, "inodes_counted": 2400, "inodes_checked": 2400,
        "corruptions_found": 2, "warnings_found": 1,
    }  # fmt: skip


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _counts(changed, XfsDump.tool) == _counts(TEXT, XfsDump.tool), shape
        assert _sessions(changed) == _sessions(TEXT), shape
    for shape, changed in mangled(SCRUB, wraps=False):
        assert _counts(changed, XfsScrub.tool) == _counts(SCRUB, XfsScrub.tool), shape


def test_a_sum_alone() -> None:
    text = "/pond: errors found: 3; warnings found: 12\n/pond: Unmount and run xfs_repair.\n"
    assert _counts(text, XfsScrub.tool) == [("/pond", {"errors_found": 3, "warnings_found": 12})]


@pytest.mark.parametrize(
    "text",
    [
        "xfsdump: fix the inventory's media file size\n",
        "xfsdump: Release 3.1.12\nxfsrestore: untangle inventory unpacking logic\n",
        "The session label: weekly\n",
        "3 corruptions found: see below\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _counts(text, XfsDump.tool) == _counts(text, XfsScrub.tool) == []
    assert _sessions(text) == {}
