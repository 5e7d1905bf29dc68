"""lsmod and a kernel's configuration. Oracle: /proc/modules of this host, and its configuration."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "kernel-composed"
LSMOD, CONFIG = ((OUTPUTS / f"{name}.txt").read_text() for name in ("lsmod", "config"))


def subjects(text: str) -> dict[str, dict[str, object]]:
    return {thing.name: dict(thing.values) for state in states(text) for thing in state.subjects}


def test_modules_of_both_listings() -> None:
    modules = subjects(LSMOD)
    assert len(modules) == 8
    assert modules["md_mod"] == {"size": 176128, "users": 2, "used_by": "raid1,md_cluster"}
    assert modules["nvme_core"] == {"size": 143360, "users": 2, "used_by": "nvme"}


def test_the_modules_here() -> None:
    file = Path("/proc/modules")
    rows = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
    if not rows:
        pytest.skip("this kernel has no modules")
    text = "Module                  Size  Used by\n" + "".join(
        f"{name:<19} {size:>8}  {users} {'' if by == '-' else by.rstrip(',')}\n"
        for name, size, users, by, *_ in rows
    )
    assert {name: row["size"] for name, row in subjects(text).items()} == {
        row[0]: int(row[1]) for row in rows
    }


def test_options_of_a_kernel() -> None:
    assert subjects(CONFIG) == {"": {
        "CONFIG_NR_CPUS": 64, "CONFIG_HZ_250": False, "CONFIG_HZ": 1000,
        "CONFIG_BLK_DEV_MD": "m", "CONFIG_MD_BITMAP_FILE": True,
        "CONFIG_DEFAULT_HOSTNAME": "(none)",
    }}  # fmt: skip


def test_the_whole_configuration_of_this_kernel() -> None:
    file = Path("/proc/config.gz")
    if not file.exists():
        pytest.skip("this kernel does not show how it was built")
    text = gzip.decompress(file.read_bytes()).decode()
    rows = [line for line in text.splitlines() if "CONFIG_" in line and (
        line.startswith("CONFIG_") or line.endswith(" is not set"))]  # fmt: skip
    assert len(subjects(text)[""]) == len(rows)


@pytest.mark.parametrize("text", [LSMOD, CONFIG])
def test_every_shape(text: str) -> None:
    expected = subjects(text)
    for shape, changed in mangled(text, wraps=False):
        assert subjects(changed) == expected, shape


@pytest.mark.parametrize("text", [
    "Used by\n", "lsmod shows\n  raid1 and 2 others\n", "Set CONFIG_HZ=1000 and build anew.\n",
    "CONFIG_HZ = 1000\n", "Module Size Used by nobody\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert subjects(text) == {}
