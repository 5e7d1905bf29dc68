"""Messages of targetcli. Oracle: the commands above them, which name the same things."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.layers.iscsi.printed_target_messages import TargetcliMessages
from iosonde.text.secrets import MASK
from tests.mangle import folded, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "targetcli-composed" / "messages.txt").read_text()
INITIATOR = "iqn.2026-01.org.example:reed"


def _things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    things: dict[tuple[str, str], dict[str, object]] = {}
    for state in states(text):
        for subject in state.subjects if state.tool == TargetcliMessages.tool else ():
            things.setdefault((subject.kind, subject.name), {}).update(subject.values)
    return things


def test_what_was_made_is_what_was_asked_for() -> None:
    things = _things(TEXT)
    target = re.findall(r"iscsi/ create (\S+)", TEXT)[0]
    assert things == {
        ("backstore", "block/pond"): {"device": "/dev/vg3/pond", "state": "created"},
        ("backstore", "fileio/heron"): {"size": 2 << 30, "state": "created"},
        ("iscsi_target", target): {"iqn": target, "state": "created"},
        ("iscsi_target", ""): {
            "tpg": 1, "portal": "0.0.0.0:3260", "lun": 0, "initiators": INITIATOR,
            "mapped_lun": 0, "cache_dynamic_acls": "1", "iser": True,
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Created target for the next month.\n",
        "We saw: Created LUN 0. and nothing else\n",
        "Created fileio is slow with size 3\n",
        "The parameter is now 'on'.\n",
        "Created attachment 301891\n",
    ],
)
def test_other_things_that_were_created(text: str) -> None:
    assert _things(text) == {}


def test_messages_that_a_mail_broke() -> None:
    assert _things(TEXT.replace("Created target ", "Created target\n")) == _things(TEXT)
    assert _things(folded(TEXT, 72)) == _things(TEXT)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == _things(TEXT), shape


def test_a_message_alone() -> None:
    assert _things("Created LUN 7.\n") == {("iscsi_target", ""): {"lun": 7}}


def test_the_messages_are_kept_as_printed_without_passwords() -> None:
    text = (
        "/> iscsi/ create iqn.2026-01.org.example:x\n"
        "Created target iqn.2026-01.org.example:x.\n"
        "  Created TPG 1.\n"
        "Parameter userid is now 'reed'.\n"
        "Parameter password is now 'x7Kq'.\n"
        "Parameter mutual_password is now ''.\n"
    )
    (state,) = states(text)
    assert state.messages == (
        "Created target iqn.2026-01.org.example:x.",
        "Created TPG 1.",
        "Parameter userid is now 'reed'.",
        f"Parameter password is now {MASK}.",
        "Parameter mutual_password is now ''.",
    )
    values = _things(text)["iscsi_target", ""]
    assert values["password"] == MASK
    assert values["mutual_password"] == ""
    assert values["userid"] == "reed"
