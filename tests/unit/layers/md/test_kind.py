"""md's arithmetic and words, and the arrays of the composed file server."""

from __future__ import annotations

import pytest

from iosonde.layers.md.facts import ArrayMember, array_facts, member_facts
from iosonde.layers.md.kind import array_hazards
from iosonde.stack.discover import discover
from tests.recordings.sata_md_lvm import sata_md_lvm


def test_a_resync_is_told_with_its_share() -> None:
    facts = array_facts(
        {"level": "raid6", "raid_disks": "6", "chunk_size": "65536", "degraded": "1",
         "sync_action": "recover", "sync_completed": "250 / 1000"}
    )  # fmt: skip
    assert facts["stripe_width"] == 4 * 65536
    members = [
        ArrayMember("sda", "in_sync", 0, 1024),
        ArrayMember("sdb", "faulty,write_mostly", None, 512),
    ]
    assert array_hazards(facts, members) == ("degraded", "recover 25%", "sdb faulty")
    assert member_facts(members) == {
        "active_members": 1, "faulty": "sdb", "write_mostly": "sdb", "data_offset": 1024,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("state", "slot", "role"),
    [
        ("in_sync", 0, "active"),
        ("spare", None, "spare"),
        ("spare", 2, "rebuilding"),
        ("faulty", 1, "faulty"),
        ("journal,in_sync", None, "journal"),
        ("in_sync,write_mostly", 1, "active"),
    ],
)
def test_roles_of_members(state: str, slot: int | None, role: str) -> None:
    assert ArrayMember("sda", state, slot, None).role == role


@pytest.mark.parametrize("text", ["none", "delayed", "", "x / y", "1 / 0"])
def test_a_resync_without_a_share_is_told_without(text: str) -> None:
    facts = array_facts({"level": "raid1", "sync_action": "resync", "sync_completed": text})
    assert array_hazards(facts, []) == ("resync",)


async def test_the_arrays_of_a_file_server() -> None:
    capture = await discover([sata_md_lvm().host()])
    arrays = {layer.device: layer for layer in capture.layers if layer.kind == "md"}
    assert set(arrays) == {"/dev/md0", "/dev/md1"}
    broken = arrays["/dev/md1"]
    assert broken.facts["chunk_size"] == 512 * 1024
    assert broken.facts["stripe_width"] == 3 * 512 * 1024
    assert "degraded" in broken.hazards
    assert broken.settings["stripe_cache_size"] == 256
    assert len(broken.below) == 3
    assert "stripe_cache_size" not in arrays["/dev/md0"].settings
