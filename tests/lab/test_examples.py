"""Each example stack: built while each layer is measured, drawn across hosts, taken away again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from iosonde.stack.file import builder, read_stack
from tests.lab.conftest import STACKS, good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(1500)]

# Stack, its study, a host with its topmost kind, and kinds that must be found below it, on whatever
# host.
EXAMPLES = [
    ("hypervisor-raid1", "", "hv", {"ext4", "md", "disk"}),
    ("hypervisor-raid5", "", "hv", {"ext4", "md", "disk"}),
    ("hypervisor-raid", "hypervisor-raid-iozone", "hv", {"nfs", "nfs_server", "ext4", "md"}),
    ("nfs-datastore", "nfs-datastore-mix", "client",
     {"nfs", "nfs_server", "ext4", "md", "disk"}),
    ("aoe-san", "aoe-san-mysql", "diskless",
     {"ext4", "aoe", "aoe_target", "dm_writecache", "lvm", "md", "disk"}),
    ("anvil", "anvil-stages", "vm", {"xfs", "guest", "lvm", "drbd", "md", "disk"}),
    ("nvme-fabric", "nvme-fabric-layers", "front",
     {"xfs", "lvm", "md", "nvmeof", "nvmeof_target", "disk"}),
    ("nvme-fabric-rdma", "", "front", {"xfs", "md", "nvmeof", "nvmeof_target", "disk"}),
    ("nvme-fabric-iser", "", "front", {"xfs", "md", "iscsi", "iscsi_target", "disk"}),
    ("nvme-fabric-drbd", "", "front", {"xfs", "nvmeof", "nvmeof_target", "drbd", "disk"}),
]  # fmt: skip
WITHOUT_STUDY = """
study: every layer
stack: STACK.yaml
at: every layer
loads: [{fio: '--name=w --rw=randwrite --bs=4k --ioengine=libaio --direct=1 --size=16m'}]
"""
# Layers of the same kind give the same: one of each is enough here.
ALIKE = {"d2", "d3", "d4", "b1", "nb1", "ib1"}


SHORT = {"hypervisor-raid5"}  # the others take seven to fifteen minutes each on two cores


@pytest.fixture(
    params=[
        pytest.param(
            example, id=example[0], marks=[] if example[0] in SHORT else [pytest.mark.long]
        )
        for example in EXAMPLES
    ]
)
def example(request: pytest.FixtureRequest) -> Iterator[tuple[str, str, str, set[str]]]:
    name = request.param[0]
    with running(name, STACKS / f"{name}.yaml"):
        yield request.param


def shortened(name: str, study: str, directory: Path) -> tuple[Path, list[str]]:
    """The study of an example with one short loop each, and the layers it measures."""
    text = (STACKS / f"{study}.yaml").read_text() if study else WITHOUT_STUDY
    document = YAML(typ="safe").load(text.replace("STACK.yaml", f"{name}.yaml"))
    for load in document["loads"]:
        if isinstance(load, dict) and "iozone" in load:  # which knows no seconds
            load["iozone"] = re.sub(r"-s (\d+)m", lambda size: f"-s {int(size[1]) // 4}m",
                                    load["iozone"])  # fmt: skip
    document |= {"stack": str(STACKS / f"{name}.yaml"), "loops": 1, "seconds": 2}
    if document["at"] == "every layer":
        sites = read_stack(STACKS / f"{name}.yaml").sites
        probed = [site.name for site in sites if builder(site.kind).probe]
        document["at"] = [label for label in probed if label not in ALIKE]
    file = directory / "study.yaml"
    with file.open("w") as out:
        YAML(typ="safe").dump(document, out)
    return file, document["at"]


def test_it_is_built_measured_at_its_layers_and_taken_away(
    example: tuple[str, str, str, set[str]], tmp_path: Path
) -> None:
    name, study, top, kinds = example
    file = STACKS / f"{name}.yaml"
    path, layers = shortened(name, study, tmp_path)
    run = good("run", path, "--json", timeout=1200).document
    assert run["state"] == "finished"
    assert sorted({trial["probe"] for trial in run["trials"]}) == sorted(layers)
    for trial in run["trials"]:
        assert any(metric["mean"] > 0 for metric in trial["metrics"].values()), trial["id"]
    explained = good("explain", run["id"], "--waterfall", "--json").document
    assert explained["waterfall"]
    for fall in explained["waterfall"]:
        assert len(fall["steps"]) == len(layers)
    hosts = sorted({trial["host"] for trial in run["trials"]})
    shown = good("show", *all_hosts(name), "--json").document
    assert set(hosts) <= {host["name"] for host in shown["hosts"]}
    assert kinds <= below(shown["layers"], f"lab:{name}/{top}")
    again = good("up", file, "--json").document
    assert {step["state"] for step in again["steps"]} <= {"unchanged", "found", "done"}
    assert "removed" in {step["state"] for step in good("down", file, "--json").document["steps"]}
    assert good("down", file, "--json").document["steps"] == []
    for host in all_hosts(name):
        ssh(name, host.rsplit("/", 1)[1], "test", "!", "-e", "/var/lib/iosonde/built")
    left = good("show", *all_hosts(name), "--json").document["layers"]
    assert {record["kind"] for record in left} <= {"disk", "filesystem", "link"}


def all_hosts(name: str) -> list[str]:
    """The hosts that run: guests do while their layer stands."""
    listed = good("lab", "list", "--json").document["labs"]
    (lab,) = [record for record in listed if record["name"] == name]
    return [f"lab:{name}/{node['name']}" for node in lab["nodes"] if node["running"]]


def below(layers: list[dict[str, Any]], host: str) -> set[str]:
    """Kinds of all layers on and below what stands on a host."""
    by_id = {layer["id"]: layer for layer in layers}
    names: set[str] = set()
    queue = [layer["id"] for layer in layers if layer["host"] == host]
    seen: set[str] = set()
    while queue:
        values = by_id[queue.pop()]
        if values["id"] not in seen:
            seen.add(values["id"])
            names.add(values["kind"])
            queue += values["below"]
    return names
