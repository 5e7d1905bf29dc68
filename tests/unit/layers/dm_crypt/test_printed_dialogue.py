"""What cryptsetup asks. Oracle: the device that the command itself names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "cryptsetup-composed" / "dialogue.txt").read_text()


def _asked(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (state.command, subject.name, dict(subject.values))
        for state in states(text)
        if state.tool == "cryptsetup dialogue"
        for subject in state.subjects
    ]


def test_what_was_about_to_be_done() -> None:
    formatted, erased, again, added = _asked(TEXT)
    assert formatted[1:] == (
        "sdx1", {"overwrites_data": True, "confirmed": True, "asks_passphrase": True},
    )  # fmt: skip
    assert erased[1:] == ("sdy1", {"erases_keyslots": True, "confirmed": False})
    assert again[2] == {
        "signature": "ext4", "wiped": True, "overwrites_data": True, "confirmed": True,
        "asks_passphrase": True, "keyslot_created": 0, "exit_code": 0,
    }  # fmt: skip
    assert added[1:] == ("sdz1", {"keyslot_created": 1, "exit_code": 0})
    assert all(command.endswith(f"/dev/{device}") for command, device, _ in _asked(TEXT))


def test_lines_alone() -> None:
    assert _asked("This will overwrite data on /dev/sdb irrevocably.\n") == [
        ("", "sdb", {"overwrites_data": True})
    ]
    (removed,) = _asked(
        "# cryptsetup luksKillSlot /dev/sdb 3\nKeyslot 3 is selected for deletion.\n"
        "Enter any remaining passphrase:\n"
    )
    assert removed[2] == {"keyslot_to_delete": 3}


def test_what_it_came_to() -> None:
    asked, failed = _asked(
        "# cryptsetup luksFormat /dev/sdb\nThis will overwrite data on /dev/sdb irrevocably.\n"
        "Are you sure? (Type 'yes' in capital letters): YES\nPassphrases do not match.\n"
    )
    assert asked[1:] == ("sdb", {"overwrites_data": True, "confirmed": True})
    assert failed[1:] == ("sdb", {"cryptsetup_error": "Passphrases do not match."})


@pytest.mark.parametrize(
    "text",
    [
        "Be careful: This will overwrite data on /dev/sdb irrevocably. So do not.\n",
        "Enter the passphrase for /dev/sdb when asked.\n",
        "Row 3 is selected for deletion.\n",
        "Key slot 1 created. What now?\n",
        "Command successful.\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _asked(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape != "with blank lines":
            assert _asked(changed) == _asked(TEXT), shape
