"""flashcache on a host: what dmsetup prints of it among other devices, and when it is unsafe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from iosonde.errors import FileMissing, IosondeError
from iosonde.hosts.host import Completed
from iosonde.layers.flashcache.facts import counters, of_device, size_histogram, table_facts
from iosonde.layers.flashcache.findings_blocks import RULES
from iosonde.layers.flashcache.kind import Flashcache
from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import StackLayer
from tests.empty_host import EmptyHost

PLACE = Path(__file__).parents[3] / "outputs" / "flashcache-2-page"
NAMED = "cachedev: 0 2930294784 flashcache "
STATUS, TABLE = (
    f"root: 0 4096 linear \n{NAMED}{(PLACE / name).read_text().partition('flashcache ')[2]}"
    "home: 0 8192 linear \n"
    for name in ("status.txt", "table.txt")
)


class Storage(EmptyHost):
    """A host with one flashcache device."""

    name = "storage"

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:  # fmt: skip
        message = {"table": TABLE, "status": STATUS}[argv[1]]
        return Completed(tuple(argv), 0, message.encode(), b"", 0.0)

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        values = {"name": b"cachedev\n", "uuid": b"\n", "suspended": b"0\n"}
        return {
            path: values.get(path.rpartition("/")[2], FileMissing(path, where=self.name))
            for path in paths
        }


def scene(ssd: str = "disk") -> Scene:
    below = () if ssd == "disk" else ("sdb", "sdc")
    devices = (
        BlockDevice("sda", "/dev/sda", "8:0", ssd, 1 << 36, below),
        BlockDevice("md2", "/dev/md2", "9:2", "raid10", 1 << 40),
        BlockDevice("dm-0", "/dev/mapper/cachedev", "253:0", "dm", 1500310929408, ("sda", "md2")),
    )
    return Scene(Storage(), {device.name: device for device in devices}, (), ())


async def layer(ssd: str = "disk") -> StackLayer:
    (stack_layer,) = await Flashcache().discover(scene(ssd))
    return stack_layer


async def test_what_is_known_of_a_cache() -> None:
    stack_layer = await layer()
    assert (stack_layer.id, stack_layer.kind) == ("storage/flashcache:cachedev", "flashcache")
    assert stack_layer.device == "/dev/mapper/cachedev"
    assert stack_layer.below == ("storage/*device:sda", "storage/*device:md2")
    expected = {
        "mode": "writeback", "block_size": 4096, "sequential_cutoff": 0,
        "cache_device": "/dev/sda", "disk_device": "/dev/md2", "cache_size": 57018 << 20,
        "sysctl": "sda+md2", "reads": 85485411, "uncached_writes": 362807723,
        "cleanings": 11238715,
    }  # fmt: skip
    assert expected.items() <= stack_layer.facts.items()
    assert stack_layer.facts["other_sizes_share"] == pytest.approx(0.927, abs=5e-4)


@pytest.mark.parametrize(("ssd", "hazards"), [("disk", ("unsafe cache",)), ("raid1", ())])
async def test_a_cache_that_writes_back_wants_a_mirror(ssd: str, hazards: tuple[str, ...]) -> None:
    assert (await layer(ssd)).hazards == hazards


async def test_the_rule_sees_it_as_in_a_text() -> None:
    stack_layer = await layer()
    state = StateEvidence(
        "flashcache", "mapper/cachedev", "storage", stack_layer.facts, stack_layer.id, "storage"
    )
    (said,) = [finding for rule in RULES for finding in rule.find(EvidenceSet(states=(state,)))]
    assert said.rule == "cache-whole-blocks"
    assert said.message.startswith(
        "92.2 % of 464,491,951 requests went past the cache, because it takes only requests of "
        "exactly 4 KiB, and 92.7 % of those counted by size are not; of those that it could take, "
        "63.2 % of the reads"
    )


def test_the_lines_of_one_device() -> None:
    assert counters(of_device(STATUS, "cachedev"))["pid_expiry"] == 0
    assert table_facts(of_device(TABLE, "cachedev"))["mode"] == "writeback"
    assert of_device(STATUS, "root") == of_device(STATUS, "dev") == ""
    assert table_facts("") == counters("") == {}


def test_sizes_end_where_they_no_longer_ascend() -> None:
    assert size_histogram("512:1 1024:2 512:3") == {512: 1, 1024: 2}
    assert size_histogram("512:1 1000:2") == {512: 1}
    assert size_histogram("512:1 32768:2") == {512: 1}
    assert size_histogram("") == size_histogram("none") == {}
