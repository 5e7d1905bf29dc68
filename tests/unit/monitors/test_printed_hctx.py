"""blk-mq in debugfs. Oracle: as many requests are listed as tags are busy."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "tracers-composed" / "hctx.txt").read_text()


def test_requests_and_tags_agree() -> None:
    (row,) = counters(TEXT)
    assert (row.kind, row.name) == ("disk", "sdg")
    requests = cast("list[dict[str, object]]", row.values["requests"])
    with_tags = [request for request in requests if request["tag"] != -1]
    assert row.values["hctx0.tags.bitmap_tags.busy"] == len(with_tags) == row.values["hctx0.busy"]
    assert row.values["hctx0.sched_tags.bitmap_tags.busy"] == len(requests)
    assert row.values["hctx0.active"] == 2
    assert [(request["op"], request["state"], request["file"]) for request in requests] == [
        ("WRITE", "in_flight", "busy"), ("READ", "in_flight", "busy"),
        ("FLUSH", "idle", "dispatch"),
    ]  # fmt: skip


def test_reserved_tags_are_apart() -> None:
    (row,) = counters(TEXT)
    values = row.values
    bitmap, reserved = (
        cast("int", values[f"hctx0.tags.{name}.depth"])
        for name in ("bitmap_tags", "breserved_tags")
    )
    assert values["hctx0.tags.nr_tags"] == bitmap + reserved
    assert values["hctx0.tags.breserved_tags.busy"] == 0
    assert values["hctx0.tags.active_queues"] == 2
    assert "hctx0.tags.bitmap_tags.bits_per_word" not in values


def test_counts_and_state() -> None:
    (row,) = counters(TEXT)
    assert row.values["hctx0.dispatched"] == {"0": 150, "32+": 4}
    assert (row.values["hctx0.run"], row.values["hctx0.state"]) == (9000, "SCHED_RESTART")


def test_the_disk_may_stand_in_the_command_alone() -> None:
    (row,) = counters(
        "# grep . /sys/kernel/debug/block/nvme4n1/hctx3/active\n"
        "/sys/kernel/debug/block/nvme4n1/hctx3/active:5\n"
    )
    assert (row.name, row.values) == ("nvme4n1", {"hctx3.active": 5})
    text = "# grep -r . /sys/kernel/debug/block/nvme4n1\nhctx3/active:5\n"
    assert [row.name for row in counters(text)] == ["nvme4n1"]
    (row,) = counters("hctx3/active:5\n")
    assert (row.kind, row.name) == ("host", "")


def test_every_shape() -> None:
    expected = [(row.name, dict(row.values)) for row in counters(TEXT)]
    assert expected
    for shape, changed in mangled(TEXT.rstrip(), wraps=False):
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    "The file hctx0/busy: it lists requests.\n",
    "blk_mq: hctx 3 has no CPUs\n",
    "sda/hctx0/active:many\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text) == []
