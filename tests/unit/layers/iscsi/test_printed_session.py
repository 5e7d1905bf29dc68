"""iscsiadm -m session: what the initiator is logged in to."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "iscsiadm-composed"


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


IQN = "iqn.2024-02.com.example:san1"


def test_sessions_in_every_shape() -> None:
    for shape, given in mangled((PLACE / "session-P3.txt").read_text(), wraps=False):
        session = things(given)[IQN]
        assert (session["session"], session["portal"]) == (2, "10.2.3.4:3260"), shape
        assert session["iscsi_session_state"] == "LOGGED_IN"
        assert (session["firstburstlength"], session["recovery_timeout"]) == (65536, 120)
        assert (session["disks"], session["disk_states"]) == ("sdc", "sdc running")
    for shape, given in mangled((PLACE / "session.txt").read_text(), wraps=False):
        values_by_name = things(given)
        assert (values_by_name[IQN]["session"], values_by_name[IQN]["transport"]) == (2, "tcp"), (
            shape
        )
        assert len(values_by_name) == 2


def test_a_target_alone_and_prose() -> None:
    assert things(f"Target: {IQN} (non-flash)\n") == {IQN: {"iqn": IQN}}
    assert not [entry for entry in read("See tcp: [2] below, and Target: iqn. of mine\n")
                if isinstance(entry, Unread)]  # fmt: skip
