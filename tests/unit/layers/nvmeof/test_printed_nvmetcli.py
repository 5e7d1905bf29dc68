"""nvmetcli ls: the tree of the kernel's NVMe target."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "nvmetcli-composed" / "ls.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


NQN = "nqn.2024-02.com.example:fast"


def test_a_tree_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        port = values_by_name["port_1"]
        assert (port["trtype"], port["traddr"], port["trsvcid"]) == ("tcp", "10.2.3.4", 4420), shape
        assert (port["inline_data_size"], port["subsystems"]) == (16384, NQN)
        assert (values_by_name[NQN]["allow_any"], values_by_name[NQN]["serial"]) == (
            1,
            "0123456789abcdef",
        )
        space = values_by_name[f"{NQN}/namespace_1"]
        assert (space["path"], space["state"]) == ("/dev/nvme0n1", "enabled")
        assert not unread_in(given)


def test_a_tree_that_lost_its_branches() -> None:
    flat = "\n".join(line.lstrip(" |") for line in TEXT.split("\n"))
    assert things(flat) == things(TEXT)


def test_a_torn_tree_and_another_tree() -> None:
    (entry,) = read("o- subsystems ................ [...]\no- allowed_hosts ..... [...]\n")
    assert isinstance(entry, Unread)
    assert things("o- item one\no- item two\n") == {}
