"""What is read of caches before and after a load."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import pytest

from iosonde.errors import IosondeError
from iosonde.hosts.host import Completed
from iosonde.layers._mapper.facts import STATUS, TABLE
from iosonde.measure.counting import Counting, Snapshot, counting_of
from iosonde.monitors import diskstats
from iosonde.records.load import Target, TargetKind
from iosonde.records.stack import Capture, HostFacts, StackLayer
from tests.empty_host import EmptyHost


class Storage(EmptyHost):
    """A host with bcache on a mapped device; its state changes with each look."""

    name = "h"

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    async def run(self, argv: Sequence[str], **_: Any) -> Completed:
        self.asked.append(tuple(argv))
        text = f"x: 0 8 writecache 0 9 {len(self.asked)} 0\n"
        return Completed(tuple(argv), 0, text.encode(), b"", 0.0)

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        return {path: b"4.0k\n" for path in paths if "/bcache/" in path}


def layer(kind: str, name: str, *below: str) -> StackLayer:
    ids = tuple(f"h/{text}" for text in below)
    facts = {"kernel_name": name}
    return StackLayer(f"h/{kind}:{name}", kind, "h", f"/dev/{name}", 1024, ids, facts=facts)


def counting(host: Storage, *layers: StackLayer) -> Counting:
    capture = Capture(0.0, (HostFacts("h", "6.1", 2, None),), layers)
    target = Target("h", layers[0].device, TargetKind.DEVICE)
    return asyncio.run(counting_of(capture, [host], target))


def test_states_of_caches_are_read_whenever_asked_for() -> None:
    host = Storage()
    tally = counting(
        host, layer("bcache", "bcache0", "dm:dm-0", "disk:sda"), layer("dm", "dm-0", "disk:sda"),
        layer("disk", "sda"),
    )  # fmt: skip
    assert tally.facts["h"][TABLE]
    assert tally.facts["h"]["/sys/block/bcache0/bcache/cache_mode"] == "4.0k"
    before, after = asyncio.run(tally.states()), asyncio.run(tally.states())
    assert before["h"]["/sys/block/bcache0/bcache/dirty_data"] == "4.0k"
    assert before["h"][STATUS] != after["h"][STATUS]
    # dm-cache would write its metadata to answer without it.
    assert host.asked[-1] == ("dmsetup", "status", "--noflush")
    kept = json.loads(tally.packed([Snapshot({}, 0.0)], [before, after]))
    assert kept["states"] == [before, after]


def test_where_no_cache_is_nothing_is_asked() -> None:
    host = Storage()
    tally = counting(host, layer("disk", "sda"))
    assert asyncio.run(tally.states()) == {}
    assert host.asked == []


class Probed(Storage):
    """A host on which somebody reads a disk for the first few looks, and then no more."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks, self.seen = looks, count()

    async def read(self, path: str) -> bytes:
        assert path == diskstats.PATH
        reads = 100 * min(next(self.seen), self.looks)
        return f"8 0 sda {reads} 0 {8 * reads} 0 0 0 0 0 0 0 0\n".encode()


def idle_reads(monkeypatch: pytest.MonkeyPatch, looks: int) -> int:
    monkeypatch.setattr("iosonde.measure.counting.IDLE_SECONDS", 0.0)
    monkeypatch.setattr("iosonde.measure.counting._SETTLE", 0.0)
    before, after = asyncio.run(counting(Probed(looks), layer("disk", "sda")).idle())
    return after.figures["h"]["sda"][0] - before.figures["h"]["sda"][0]


def test_what_ends_of_itself_is_not_what_others_do_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A probe by udev or the end of a resync is over before the idle while begins."""
    assert idle_reads(monkeypatch, 3) == 0
    assert idle_reads(monkeypatch, 1000) == 100, "somebody who never rests"
