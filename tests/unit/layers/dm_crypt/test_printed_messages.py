"""What cryptsetup says. Oracle: its times and sizes said in other units by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.dm_crypt.printed_messages import CryptsetupMessages
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "cryptsetup-composed"
TEXT = (OUTPUTS / "messages.txt").read_text()


def _errors(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values))
        for subject in subjects_in(text, CryptsetupMessages.tool)
    ]


def _progress(text: str) -> list[tuple[str, dict[str, object]]]:
    rows = counters(text)
    return [(row.name, dict(row.values)) for row in rows if row.tool == CryptsetupMessages.tool]


def test_errors() -> None:
    assert _errors(TEXT) == [
        ("vdq3", {"cryptsetup_error": "No key available with this passphrase."}),
        ("vdr", {
            "cryptsetup_error": "Cannot use device /dev/vdr which is in use (already mapped or "
            "mounted).; Command failed with code -5 (device already exists or device is busy).",
            "exit_code": 5,
        }),
        ("vault", {"cryptsetup_error": "Device vault is still in use."}),
    ]  # fmt: skip


def test_progress() -> None:
    assert _progress(TEXT) == [
        ("vds1", {
            "written": 10 << 30, "speed": 120.4 * 2**20, "share": 0.123, "time_left": 764.0,
        }),
        ("vds1", {"written": 81 << 30, "speed": 900.0 * 1024, "time": 94364.0}),
    ]  # fmt: skip
    ((_, values),) = _progress("Finished, time 01:02.345,  300 MiB written, speed 4.8 MiB/s\n")
    assert values["time"] == pytest.approx(62.345)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape == "with blank lines":  # two messages are said to be of two commands
            assert [name for name, _ in _errors(changed)][:2] == ["vdq3", "vdr"]
            continue
        assert _errors(changed) == _errors(TEXT), shape
        assert _progress(changed) == _progress(TEXT), shape


def test_broken_by_a_mail() -> None:
    text = "Cannot use device /dev/vdr which is in use (already mapped or\nmounted).\n"
    assert [name for name, _ in _errors(text)] == ["vdr"]


@pytest.mark.parametrize(
    "text",
    [
        "Device vault is still in use.\n",
        "# ip link add eth9 type dummy\nDevice eth9 already exists.\n",
        "I got: No key available with this passphrase. Why?\n",
        "Command failed with code 1\n",
        "Progress: 12.3%, and 10 GiB written, speed unknown\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _errors(text) == []
    assert _progress(text) == []
