"""Each example with its disks held to what disks can do: predicted beside measured, by rank.

Held so low that the disks are the bottleneck, and not the emulated processors, which no model of a
stack knows. Results are in docs/validation/predicted-times.md.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.lab.conftest import STACKS, good, iosonde, running

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

# Stack, and the layer where the loads are applied: the highest of which times are predicted, below
# what has taken in the target as it was filled (the write cache of aoe-san; data=journal) and what
# the lab gives a page cache (the guest of anvil: nbd-server).
EXAMPLES = [
    ("hypervisor-raid", "fs"), ("hypervisor-raid1", "fs"), ("hypervisor-raid5", "fs"),
    ("nfs-datastore", "r5"), ("aoe-san", "lv"), ("anvil", "lv"), ("nvme-fabric", "fs"),
    ("nvme-fabric-drbd", "fs"), ("nvme-fabric-iser", "fs"), ("nvme-fabric-rdma", "fs"),
]  # fmt: skip
HELD = 40
"""I/Os a second of every disk."""
LOADS = {
    "write 4k": "--rw=randwrite --bs=4k --iodepth=8",
    "read 4k": "--rw=randread --bs=4k --iodepth=8",
    "write 64k": "--rw=randwrite --bs=64k --iodepth=4",
    "read 64k": "--rw=randread --bs=64k --iodepth=4",
    "write 4k alone": "--rw=randwrite --bs=4k --iodepth=1",
    "mixed 4k": "--rw=randrw --bs=4k --iodepth=8",
}
FIO = "fio --name=held --ioengine=libaio --direct=1 --norandommap=1 --size=32m --ramp_time=1"


def held(name: str, directory: Path) -> Path:
    """The example with disks of HELD I/Os a second each."""
    yaml = YAML(typ="safe")
    document: Any = yaml.load((STACKS / f"{name}.yaml").read_text())
    for layer in document["layers"].values():
        if layer["kind"] == "disk":
            layer.pop("like", None)
            layer |= {"iops": HELD, "bandwidth": "16 MiB"}
    file = directory / f"{name}.yaml"
    yaml.dump(document, file)
    return file


def study(stack: Path, at: str) -> Path:
    """All loads at one layer, two loops of each."""
    file = stack.with_name("study.yaml")
    loads = [{"name": name, "fio": f"{FIO} {rest}"} for name, rest in LOADS.items()]
    YAML(typ="safe").dump(
        {"study": "held", "stack": str(stack), "at": [at], "rehearse": True, "loads": loads,
         "loops": 2, "seconds": 5},
        file,
    )  # fmt: skip
    return file


@pytest.fixture(
    scope="module", params=[pytest.param(example, id=example[0]) for example in EXAMPLES]
)
def forecast(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The document of `predict --against` for all loads of an example."""
    name, at = request.param
    directory = tmp_path_factory.mktemp(name)
    stack = held(name, directory)
    store = ("--store", str(directory / "store.sqlite"))
    with running(name, stack):
        run = good("run", study(stack, at), *store, "--json", timeout=1500).document["id"]
    against = iosonde("predict", "--stack", stack, "--against", run, *store, "--json")
    assert against.status in {0, 1}, against.err
    print(name, against.out)  # noqa: T201 - the record of what was measured
    return against.document


def test_the_model_is_within_its_band_and_orders_what_it_tells_apart(forecast: Any) -> None:
    """Of the six one may be out: the emulated processors have other work to do as well."""
    rows = forecast["trials"]
    assert len(rows) == len(LOADS)
    assert sum(row["inside"] for row in rows) >= len(rows) - 1
    wrong = []
    for combination, other in combinations(rows, 2):
        (low, high), (least, most) = combination["band"], other["band"]
        if high < least or most < low:
            said = combination["predicted"]["iops"] > other["predicted"]["iops"]
            if said != (combination["measured"]["iops"] > other["measured"]["iops"]):
                wrong.append((combination["trial"], other["trial"]))
    assert not wrong, wrong
