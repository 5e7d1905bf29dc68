"""Rules of udev about disks, in files, programs and echoes."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (
    Path(__file__).parents[3] / "outputs" / "files-composed" / "60-io.rules.txt"
).read_text()  # fmt: skip


def rules(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_rules_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        printed = rules(given)
        assert printed["KERNEL==sd[a-z] queue/rotational==1"] == {
            "scheduler": "mq-deadline", "read_ahead_kb": 4096,
        }, shape  # fmt: skip
        assert printed["KERNEL==nvme[0-9]*n[0-9]*"] == {"scheduler": "none", "nr_requests": 1023}
        assert printed["DM_NAME==oradata1"]["mode"] == "0660"


def test_a_rule_in_an_echo_and_a_program() -> None:
    rule = 'ACTION=="add|change", KERNEL=="sd[a-z]*", ATTR{queue/scheduler}="bfq"'
    assert rules(f"echo '{rule}' | sudo tee /etc/udev/rules.d/60-a.rules\n")[
        "KERNEL==sd[a-z]*"
    ] == {"scheduler": "bfq"}  # fmt: skip
    assert rules(f"      udev.extraRules = ''\n        {rule}\n      '';\n")


def test_a_rule_that_sets_nothing_and_others() -> None:
    (entry,) = read('SUBSYSTEM=="block", KERNEL=="sd*"\n')
    assert isinstance(entry, Unread)
    assert entry.reason == "no rule sets anything of a disk"
    assert read('We match SUBSYSTEM=="block" and then ATTR{queue/scheduler} is what it is.\n') == []
