"""Each example stack: built while each layer is measured, drawn across hosts, taken away again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import STACKS, good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# Stack, the layers that are measured from the bottom up, a host with its topmost kind, and kinds
# that must be found below it, on whatever host.
EXAMPLES = [
    ("hypervisor-raid1", ["d1", "r1", "fs"], "hv", {"ext4", "md", "disk"}),
    ("hypervisor-raid5", ["d1", "r5", "fs"], "hv", {"ext4", "md", "disk"}),
    ("hypervisor-raid", ["d1", "r10", "fs", "nfs"], "hv", {"nfs", "nfs_server", "ext4", "md"}),
    ("nfs-datastore", ["r5", "fs", "nfs"], "client", {"nfs", "nfs_server", "ext4", "md", "disk"}),
    ("aoe-san", ["r10", "lv", "aoe", "fs"], "diskless",
     {"ext4", "aoe", "aoe_target", "lvm", "md", "disk"}),
    ("anvil", ["ra", "r0", "lv", "fs"], "s1", {"xfs", "lvm", "drbd", "md", "disk"}),
]  # fmt: skip
LOAD = "--name=w --rw=randwrite --bs=4k --ioengine=libaio --direct=1 --iodepth=4 --size=16m"


@pytest.fixture(params=EXAMPLES, ids=[one[0] for one in EXAMPLES])
def example(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[str], str, set[str]]]:
    name = request.param[0]
    with running(name, STACKS / f"{name}.yaml"):
        yield request.param


def test_it_is_built_measured_at_its_layers_and_taken_away(
    example: tuple[str, list[str], str, set[str]], tmp_path: Path
) -> None:
    name, layers, top, kinds = example
    file = STACKS / f"{name}.yaml"
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: {name}\nstack: {file}\nat: [{', '.join(layers)}]\n"
        f"loads: [{{name: w, fio: {LOAD!r}}}]\nloops: 1\nseconds: 2\n"
    )
    run = good("run", study, "--json", timeout=550).document
    assert run["state"] == "finished"
    assert [trial["probe"] for trial in run["trials"]] == layers
    for trial in run["trials"]:
        assert trial["metrics"]["write.iops"]["mean"] > 0
    explained = good("explain", run["id"], "--waterfall", "--json").document
    (fall,) = explained["waterfall"]
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
    assert {one["kind"] for one in left} <= {"disk", "filesystem", "link"}


def all_hosts(name: str) -> list[str]:
    listed = good("lab", "list", "--json").document["labs"]
    (lab,) = [one for one in listed if one["name"] == name]
    return [f"lab:{name}/{node['name']}" for node in lab["nodes"]]


def below(layers: list[dict[str, Any]], host: str) -> set[str]:
    """Kinds of all layers on and below what stands on a host."""
    by_id = {one["id"]: one for one in layers}
    found: set[str] = set()
    queue = [one["id"] for one in layers if one["host"] == host]
    seen: set[str] = set()
    while queue:
        one = by_id[queue.pop()]
        if one["id"] not in seen:
            seen.add(one["id"])
            found.add(one["kind"])
            queue += one["below"]
    return found
