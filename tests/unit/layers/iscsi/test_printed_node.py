"""Settings of an initiator's sessions."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "iscsi-node.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_node_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        values = things(given)["iqn.2020-02.example.vault:lun3"]
        assert values["node.session.timeo.replacement_timeout"] == 20, shape
        assert values["node.session.queue_depth"] == 32
        assert values["node.conn[0].iscsi.HeaderDigest"] == "None"
        assert not [name for name in values if "auth" in name]


def test_a_file_without_a_node() -> None:
    text = "# Timeouts\nnode.session.timeo.replacement_timeout = 120\n"
    assert things(text) == {"": {"node.session.timeo.replacement_timeout": 120}}


def test_an_empty_record_and_prose() -> None:
    (entry,) = read("# BEGIN RECORD 2.1.8\n# END RECORD\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "it holds no setting"
    assert read("Look at node.session.queue_depth, which is too small.\n") == []


def test_a_setting_that_a_comment_mark_takes_out_is_passed_over() -> None:
    given = "node.startup = automatic\n# node.startup = manual\nnode.leading_login = No\n"
    (node,) = subjects_in(given, "iscsi node")
    assert dict(node.values) == {"node.startup": "automatic", "node.leading_login": "No"}
