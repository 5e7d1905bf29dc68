"""`lscpu`. Oracle: the numbers must multiply (sockets × cores × threads), and lscpu's own JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_lscpu import Lscpu
from tests.mangle import folded, mangled, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "lscpu-composed"
OLD, NEW = ((OUTPUTS / f"{name}.txt").read_text() for name in ("old", "new"))
KIB, MIB = 1 << 10, 1 << 20


def _hosts(text: str) -> list[dict[str, object]]:
    return [dict(subject.values) for subject in subjects_in(text, Lscpu.tool)]


@pytest.mark.parametrize("text", [OLD, NEW])
def test_the_numbers_multiply(text: str) -> None:
    (host,) = _hosts(text)
    names = ("sockets", "cores_per_socket", "threads_per_core")
    product = 1
    for name in names:
        value = host[name]
        assert isinstance(value, int)
        product *= value
    assert product == host["cpus"]


def test_caches_of_one_and_sums() -> None:
    assert _hosts(OLD)[0].items() >= {
        "l1d_cache": 32 * KIB, "l3_cache": 15360 * KIB, "cpu_mhz": 1200.125,
        "numa_node1_cpus": "6-11,18-23", "cpu_model_name":
        "Heron(R) Pond(R) CPU P5-2699 v9 @ 2.10GHz",
    }.items()  # fmt: skip
    assert _hosts(NEW)[0].items() >= {
        "l1d_caches": MIB, "l1d_instances": 32, "l3_caches": 256 * MIB, "l3_instances": 8,
        "cpu_scaling": "83%",
    }.items()  # fmt: skip
    assert "l3_cache" not in _hosts(NEW)[0]


@pytest.mark.skipif(shutil.which("lscpu") is None, reason="no lscpu")
def test_the_real_tool_against_its_json() -> None:
    def run(*more: str) -> str:
        return subprocess.run(
            ["lscpu", *more], capture_output=True, text=True, check=True,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        ).stdout  # fmt: skip

    def flat(rows: list[dict[str, object]]) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for row in rows:
            pairs[str(row["field"]).rstrip(":")] = str(row["data"])
            children = row.get("children", [])
            assert isinstance(children, list)
            pairs |= flat(children)
        return pairs

    rows = flat(json.loads(run("-J"))["lscpu"])
    (host,) = _hosts(run())
    assert host["cpus"] == int(rows["CPU(s)"])
    assert host["architecture"] == rows["Architecture"]
    if "NUMA node0 CPU(s)" in rows:
        assert host["numa_node0_cpus"] == rows["NUMA node0 CPU(s)"]


def test_rows_that_grep_chose() -> None:
    rows = "".join(re.findall(r"NUMA.*\n", OLD))
    assert _hosts(rows) == [
        {"numa_nodes": 2, "numa_node0_cpus": "0-5,12-17", "numa_node1_cpus": "6-11,18-23"}
    ]
    assert _hosts("$ lscpu | grep Model\nModel name:  Heron P5\n") == [
        {"cpu_model_name": "Heron P5"}
    ]


def test_a_list_of_processors_that_a_mail_broke() -> None:
    text = "NUMA node0 CPU(s):   0,2,4,6,8,10,12,14,16,18,20,22,24,\n26,28,30\nThanks\n"
    assert _hosts(text) == [{"numa_node0_cpus": "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30"}]


@pytest.mark.parametrize(
    "text",
    [
        "Model name: Heron P5\n",
        "CPU(s): 24\n",
        "Socket(s): many\nCPU(s): some\n",
        "NUMA nodes are two here\n",
        "The NUMA node0 CPU(s): are busy\n",
    ],
)
def test_what_lscpu_did_not_print(text: str) -> None:
    assert _hosts(text) == []


@pytest.mark.parametrize("text", [OLD, NEW])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        assert _hosts(changed) == _hosts(text), shape
    assert _hosts(folded(text, 72)) == _hosts(text)


def test_two_hosts_are_two() -> None:
    assert _hosts(OLD + "\n" + NEW) == [*_hosts(OLD), *_hosts(NEW)]


def test_before_2_20_sockets_are_cpu_sockets() -> None:
    (state,) = states(
        "$ lscpu\nArchitecture:          x86_64\nCPU(s):                24\n"
        "Thread(s) per core:    2\nCore(s) per socket:    6\nCPU socket(s):         2\n"
        "NUMA node(s):          2\n"
    )
    assert state.subjects[0].values["sockets"] == 2
    assert state.subjects[0].values["numa_nodes"] == 2
