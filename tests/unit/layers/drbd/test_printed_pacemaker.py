"""What Pacemaker says of its resources. Oracle: the words of the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.drbd.printed_pacemaker import PacemakerStatus
from iosonde.records.stack import Scalar
from tests.mangle import mangled, states, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "pacemaker-composed"
OLD, STATUS, FRIENDLY = (
    (PLACE / f"{name}.txt").read_text()
    for name in ("crm-mon-old", "pcs-status", "pcs-status-friendly")
)


def _things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {
        (subject.kind.removeprefix("pacemaker_"), subject.name): dict(subject.values)
        for subject in subjects_in(text, PacemakerStatus.tool)
    }


def test_a_cluster_with_a_file_system_that_failed() -> None:
    for shape, given in mangled(STATUS, wraps=False):
        things = _things(given)
        assert things["pacemaker", "pond"] == {
            "dc": "elm", "quorum": True, "nodes_online": "elm", "nodes_offline": "oak",
        }, shape  # fmt: skip
        assert things["resource", "r0"] == {
            "clone": "r0-clone", "masters_on": "elm", "stopped_on": "oak",
        }, shape  # fmt: skip
        assert things["resource", "fs_srv"] == {
            "agent": "ocf:heartbeat:Filesystem", "node": "elm", "failed": True, "flags": "blocked",
        }, shape  # fmt: skip
        assert things["resource", "vip"]["flags"] == "disabled", shape
        assert things["failure", "fs_srv start on elm"] == {
            "resource": "fs_srv", "action": "start", "node": "elm", "result": "unknown error",
            "exit_code": 1, "reason": "Couldn't mount device [/dev/pond/srv] as /srv",
        }, shape  # fmt: skip


def test_instances_of_an_old_cluster() -> None:
    (state,) = states(OLD)
    assert (state.tool, state.host) == (PacemakerStatus.tool, "elm")
    things = _things(OLD)
    assert things["resource", "drbd_r0:0"] == {
        "agent": "ocf:linbit:drbd", "role": "Slave", "node": "oak", "failed": True,
        "flags": "unmanaged",
    }  # fmt: skip
    assert things["failure", "fs_srv start on oak"]["result"] == "unknown error"
    assert things["failure", "drbd_r0:1 demote on elm"]["exit_code"] == 5


def test_the_sentences_of_newer_versions() -> None:
    things = _things(FRIENDLY)
    assert things["resource", "fs_srv"]["role"] == "Stopped"
    failed = things["failure", "fs_srv start on elm"]
    assert str(failed["reason"]).endswith("Expected /dev/??? to exist")
    assert things["failure", "vip monitor on oak"]["result"] == "Timed Out"


def test_instances_of_one_name_are_said_by_their_nodes() -> None:
    rows = "\n".join(
        f"     r0\t(ocf::linbit:drbd):\t {role}"
        for role in ("Promoted elm", "Unpromoted oak", "Unpromoted ash")
    )
    assert _things(rows)["resource", "r0"] == {
        "agent": "ocf:linbit:drbd", "promoted_on": "elm", "unpromoted_on": "oak ash",
    }  # fmt: skip


@pytest.mark.parametrize("text", [
    "primitive p_fs ocf:heartbeat:Filesystem params device=/dev/drbd0\n",
    "The agent (ocf:heartbeat:Filesystem) is Started by hand.\n",
    "Failed Actions:\n  * login on page 3 failed\n",
    "| res_fs | ocf::heartbeat:Filesystem | the file system |\n",
])  # fmt: skip
def test_words_about_it_are_no_status(text: str) -> None:
    assert not _things(text)
