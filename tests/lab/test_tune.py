"""`iosonde tune` over two servers and a guest: each stage at its own layer, everything put back."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.lab.conftest import STACKS, good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(2400)]

NAME = "anvil"
FILE = STACKS / f"{NAME}.yaml"
VARY = {
    "ra.stripe_cache_size": {"values": [256, 1024], "also": "rb.stripe_cache_size"},
    "s1/link:eth1.mtu": {"values": [1500, 9000], "also": "s2/link:eth1.mtu"},
    "vm.nr_requests": [64, 256],
    "fs.atime": ["relatime", "noatime"],
}
PLACES = {"ra": "ra", "s1/link:eth1": "r0", "vm": "vm", "fs": "fs"}
DEVICES = {"ra": ("s1", "/dev/md"), "r0": ("s1", "/dev/drbd"), "vm": ("vm", "/dev/vd"),
           "fs": ("vm", "/mnt/anvil/")}  # fmt: skip
"""Host and beginning of the target's path at each place."""


def mtus() -> list[str]:
    path = "/sys/class/net/eth1/mtu"
    return [ssh(NAME, host, "cat", path).strip() for host in ("s1", "s2")]


def test_the_pair_is_tuned_from_the_arrays_to_the_guests_file_system(tmp_path: Path) -> None:
    study = YAML(typ="safe").load((STACKS / "anvil-tune.yaml").read_text())
    study |= {"stack": str(FILE), "vary": VARY, "budget": "5 min", "loop": "2 s"}
    file = tmp_path / "study.yaml"
    with file.open("w") as out:
        YAML(typ="safe").dump(study, out)
    with running(NAME, FILE):
        before = mtus()
        document = good("tune", file, "--json", timeout=2000).document
        assert document["state"] == "finished"
        assert {
            candidate["stage"]: candidate["at"] for candidate in document["candidates"]
        } == PLACES
        runs = good("list", "--json").document["runs"]
        run = next(record for record in runs if record["id"] == document["id"])
        for trial in run["trials"]:
            at = trial["id"].partition(" ")[0].rpartition("@")[2]
            assert (trial["host"], trial["target"].startswith(DEVICES[at][1])) == (
                f"lab:{NAME}/{DEVICES[at][0]}", True
            ), trial["target"]  # fmt: skip
        assert mtus() == before
        assert good("down", FILE, "--json").document["steps"] == []
        for host in ("s1", "s2"):
            ssh(NAME, host, "test", "!", "-e", "/var/lib/iosonde/built")
