"""`nvme list-subsys` and `nvme list -v`. Oracle: the rows of the samples, cut by their columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.nvmeof.printed_subsystems import NvmeSubsystems, NvmeVerboseList
from tests.mangle import folded, mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "nvme-cli"
SUBSYS, VERBOSE = ((OUTPUTS / f"{name}.txt").read_text() for name in ("subsystems", "verbose"))
TOOLS = (NvmeSubsystems.tool, NvmeVerboseList.tool)


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values))
        for state in states(text)
        if state.tool in TOOLS
        for subject in state.subjects
    ]


def test_paths_with_their_subsystems() -> None:
    above = {
        "nqn": "nqn.2019-08.org.example:pond", "subsystem": "nvme-subsys0",
        "hostnqn": "nqn.2014-08.org.nvmexpress:uuid:00112233-4455-6677-8899-aabbccddeeff",
        "iopolicy": "round-robin",
    }  # fmt: skip
    assert _things(SUBSYS) == [
        ("nvmeof", "nvme1", {
            "transport": "tcp", **above, "state": "live", "ana_state": "optimized",
            "address": "192.0.2.17", "port": "4420", "src_addr": "192.0.2.99",
        }),
        ("nvmeof", "nvme2", {
            "transport": "rdma", **above, "state": "connecting", "ana_state": "inaccessible",
            "address": "192.0.2.18", "port": "4421",
        }),
        ("disk", "nvme0", {
            "transport": "nvme", "nqn": "nqn.2014.08.org.nvmexpress:1af41af4heron   HERON Ctrl",
            "subsystem": "nvme-subsys1", "state": "live", "address": "0000:c3:00.0",
        }),
    ]  # fmt: skip


def test_the_three_tables() -> None:
    things = _things(VERBOSE)
    assert [thing[:2] for thing in things] == [
        ("nvme_subsystem", "nvme-subsys0"), ("nvmeof", "nvme1"), ("disk", "nvme0"),
        ("disk", "nvme0n1"),
    ]  # fmt: skip
    assert things[1][2]["address"] == "traddr=1.2.3.4"
    assert "slot" not in things[1][2]
    assert things[2][2] == {
        "transport": "nvme", "serial": "POND00112233", "model": "HERON 2TB", "firmware": "H4",
        "address": "0000:c3:00.0", "slot": "12", "subsystem": "nvme-subsys1",
        "namespaces": "nvme3n1",
    }  # fmt: skip
    assert things[3][2] == {
        "size": 3_200_000_000_000, "used": 1_500_000_000_000, "logical_block_size": 512,
        "metadata_size": 8, "nsid": 1, "controllers": "nvme1, nvme2",
    }  # fmt: skip


def test_a_broken_table_is_not_guessed_at() -> None:
    outputs = read(folded(VERBOSE, 72))
    assert _things(folded(VERBOSE, 72)) == []
    assert not [each for each in outputs if getattr(each, "tool", "") == "nvme list"]


@pytest.mark.parametrize(
    "text",
    [
        "A path looks like +- nvme1 tcp traddr=192.0.2.17 live\n",
        "We set hostnqn - NQN=whatever you like\n",
        " +- nvme1 carrier pigeon live\n",
        "Device SN MN FR TxPort are columns\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == []


def test_a_path_that_a_mail_broke() -> None:
    assert _things(folded(SUBSYS, 76))[0] == _things(SUBSYS)[0]


@pytest.mark.parametrize("text", [SUBSYS, VERBOSE])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        assert _things(changed) == _things(text), shape


def test_states_of_old_kernels() -> None:
    head = "nvme-subsys1 - NQN=nqn.2014-08.org.example:array\n\\\n"
    for state in ("reconnecting", "only-admin", "unknown state", "deleting (no IO)"):
        text = f"{head} +- nvme3 tcp traddr=192.0.2.7 trsvcid=4420 {state} \n"
        (output,) = states(text)
        assert output.subjects[0].values["state"] == state


def test_one_path_alone() -> None:
    ((kind, name, values),) = _things(" +- nvme0 pcie 0000:c3:00.0 live\n")
    assert (kind, name, values["state"]) == ("disk", "nvme0", "live")


LOST = """# nvme list-subsys
nvme-subsys4 - NQN=nqn.2021-05.org.example:heron
\\
nvme-subsys5 - NQN=nqn.2021-05.org.example:egret
\\
 +- nvme6 fc traddr=nn-0x1:pn-0x2,host_traddr=nn-0x3:pn-0x4 live
"""


def test_a_subsystem_without_a_controller() -> None:
    for shape, changed in mangled(LOST, wraps=False):
        assert [thing[:2] for thing in _things(changed)] == [
            ("nvmeof", "nvme-subsys4"), ("nvmeof", "nvme6"),
        ], shape  # fmt: skip
    assert _things(LOST)[0][2] == {"nqn": "nqn.2021-05.org.example:heron", "paths": 0}


def test_a_path_in_a_strange_form_is_not_none() -> None:
    strange = LOST.replace("nvme6 fc", "nvme6 carrier pigeon").split("nvme-subsys5", 1)[1]
    assert _things(f"nvme-subsys5{strange}") == []
