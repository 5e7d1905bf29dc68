"""iscsiadm -m session: what the initiator is logged in to."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

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
        assert (session["disk_addresses"], session["portal_group"]) == ("sdc 4:0:0:0", 1)
        assert things(given)[""] == {
            "transport_class_version": "2.0-870",
            "tool_version": "2.1.8",
        }, shape
    for shape, given in mangled((PLACE / "session.txt").read_text(), wraps=False):
        values_by_name = things(given)
        assert (values_by_name[IQN]["session"], values_by_name[IQN]["transport"]) == (2, "tcp"), (
            shape
        )
        assert len(values_by_name) == 2


def test_the_rest_of_a_session_whose_head_is_cut_off() -> None:
    whole = (PLACE / "session-P3.txt").read_text()
    rest = whole[whole.index("\t\tAttached SCSI devices:") :]
    (session,) = things(rest).values()
    assert session.items() >= {
        "host_number": 4, "host_state": "running", "disks": "sdc", "disk_states": "sdc running",
        "disk_addresses": "sdc 4:0:0:0",
    }.items()  # fmt: skip
    second = rest + rest.replace("sdc", "sdd").replace("Lun: 0", "Lun: 1").partition("running\n")[2]
    (both,) = things(second).values()
    assert both["disk_addresses"] == "sdc 4:0:0:0, sdd 4:0:0:1"
    assert not things("It said: Attached scsi disk sdc\t\tState: running\n")
    assert not things("\t\t\tAttached scsi disk sdc\t\tState: running\n")


def test_a_target_alone_and_prose() -> None:
    assert things(f"Target: {IQN} (non-flash)\n") == {IQN: {"iqn": IQN, "flash": False}}
    assert not [entry for entry in read("See tcp: [2] below, and Target: iqn. of mine\n")
                if isinstance(entry, Unread)]  # fmt: skip


def test_a_session_whose_target_is_cut_off() -> None:
    text = (PLACE / "session-P3.txt").read_text()
    whole = things(text)[IQN]
    assert (whole["host_number"], whole["host_state"]) == (4, "running")
    rows = text.split("\n")
    for label in ("SID:", "Recovery Timeout:", "HeaderDigest:"):
        at = next(at for at, row in enumerate(rows) if label in row)
        (part,) = things("\n".join(rows[at:])).items()
        assert part[0] == ""
        assert len(part[1]) > 3
        assert part[1].items() <= whole.items(), label
        if label != "SID:":  # which says too little alone
            (first,) = things(f"{rows[at]}\n").values()
            assert first.items() <= whole.items()


def test_labels_of_others() -> None:
    for text in (
        "Recovery Timeout: see below\n", "InitialR2T: what does that say of it?\n",
        "MaxBurstLength=262144\n", "SID: S-1-5-21\n", "Abort Timeout: 15 seconds later it did\n",
    ):  # fmt: skip
        assert not things(text), text


def test_each_path_to_a_target_is_a_session() -> None:
    text = (PLACE / "session-P3.txt").read_text()
    rows = text.split("\n")
    top = next(at for at, row in enumerate(rows) if "Current Portal:" in row)
    end = next((at for at in range(top, len(rows)) if rows[at].startswith("Target:")), len(rows))
    other = "\n".join(rows[top:end]).replace("10.2.3.4:", "10.2.3.5:").replace("SID: 2", "SID: 3")
    both = "\n".join(rows[:end]).rstrip() + f"\n{other}\n"
    sessions = [thing.values for state in states(both) for thing in state.subjects][-2:]
    assert [(values["session"], values["portal"]) for values in sessions] == [
        (2, "10.2.3.4:3260"), (3, "10.2.3.5:3260"),
    ]  # fmt: skip
    assert sessions[0]["disks"] == sessions[1]["disks"]


def test_the_luns_of_a_session_are_no_labels() -> None:
    given = (
        "\tHost Number: 6\tState: running\n\tscsi6 Channel 00 Id 0 Lun: 0\n"
        "\tscsi6 Channel 00 Id 0 Lun: 1\n\t\tAttached scsi disk sdb\t\tState: running\n"
    )
    (session,) = subjects_in(given, "iscsiadm")
    assert dict(session.values) == {
        "host_number": 6, "host_state": "running", "disks": "sdb", "disk_states": "sdb running",
        "disk_addresses": "sdb 6:0:0:1",
    }  # fmt: skip
