"""What is read of caches before and after a load."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from iosonde.errors import IosondeError
from iosonde.hosts.host import Completed
from iosonde.measure.counting import STATUS, TABLE, Counting, counting_of
from iosonde.records import Capture, HostFacts, StackLayer, Target, TargetKind
from tests.nothing import NothingHost


class Storage(NothingHost):
    """A host with bcache on a mapped device; its state changes with each look."""

    name = "h"

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    async def run(self, argv: Sequence[str], **_: Any) -> Completed:
        self.asked.append(tuple(argv))
        text = f"x: 0 8 writecache 0 9 {len(self.asked)} 0\n"
        return Completed(tuple(argv), 0, text.encode(), b"", 0.0)

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        return {one: b"4.0k\n" for one in paths if "/bcache/" in one}


def layer(kind: str, name: str, *below: str) -> StackLayer:
    ids = tuple(f"h/{one}" for one in below)
    facts = {"kernel_name": name}
    return StackLayer(f"h/{kind}:{name}", kind, "h", f"/dev/{name}", 1024, ids, facts=facts)


def counting(host: Storage, *layers: StackLayer) -> Counting:
    capture = Capture(0.0, (HostFacts("h", "6.1", 2, None),), layers)
    target = Target("h", layers[0].device, TargetKind.DEVICE)
    return asyncio.run(counting_of(capture, [host], target))


def test_states_of_caches_are_read_whenever_asked_for() -> None:
    host = Storage()
    one = counting(
        host, layer("bcache", "bcache0", "dm:dm-0", "disk:sda"), layer("dm", "dm-0", "disk:sda"),
        layer("disk", "sda"),
    )  # fmt: skip
    assert one.facts["h"][TABLE]
    assert one.facts["h"]["/sys/block/bcache0/bcache/cache_mode"] == "4.0k"
    before, after = asyncio.run(one.states()), asyncio.run(one.states())
    assert before["h"]["/sys/block/bcache0/bcache/dirty_data"] == "4.0k"
    assert before["h"][STATUS] != after["h"][STATUS]
    # dm-cache would write its metadata to answer without it.
    assert host.asked[-1] == ("dmsetup", "status", "--noflush")
    kept = json.loads(one.packed([{}], [before, after]))
    assert kept["states"] == [before, after]


def test_where_no_cache_is_nothing_is_asked() -> None:
    host = Storage()
    one = counting(host, layer("disk", "sda"))
    assert asyncio.run(one.states()) == {}
    assert host.asked == []
