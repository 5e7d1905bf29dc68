"""Answers of drbdadm. Oracle: drbdmeta's sums, the commands that the answers repeat."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "drbd-composed" / "answers.txt").read_text()


def _answers(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (subject.name, dict(subject.values))
        for state in states(text)
        if state.tool.startswith("drbdadm ")
        for subject in state.subjects
    ]


def test_a_refused_area_of_metadata() -> None:
    name, values = _answers(TEXT)[0]
    assert (name, values["exit_code"], values["found_content"]) == ("data", 40, "ext3 filesystem")
    offsets = [values[f"{part}_offset"] for part in ("md", "al", "bm")]
    assert values["usable"] == min(offsets) >> 10 << 10  # max_usable_kB of drbdmeta.c
    assert values["used"] == offsets[0] + 4096 == 10 << 30  # the superblock is the last 4 KiB
    assert values["used"] > values["usable"]  # which is why it was refused


def test_what_follows() -> None:
    assert _answers(TEXT)[1:] == [
        ("logs", {"created": True, "bitmap_size": 320 << 10}),
        ("drbd0", {"error_code": -2, "error": "Need access to UpToDate data", "exit_code": 17}),
        ("drbd1", {"error_code": 102, "error": "Local address(port) already in use.",
                   "exit_code": 10}),
        ("data", {"error_code": 162, "error": "Invalid configuration request",
                  "kernel_info": "unknown connection", "exit_code": 10}),
        ("data", {"role": "Primary", "peer_role": "Secondary"}),
        ("data", {"disk_state": "UpToDate", "peer_disk_state": "Inconsistent"}),
        ("data", {"connection": "SyncSource"}),
    ]  # fmt: skip
    codes = [values["exit_code"] for _, values in _answers(TEXT) if "exit_code" in values]
    assert codes == [int(code) for code in re.findall(r"exit code (\d+)", TEXT)]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("md_offset 4096\nal_offset 36864\nbm_offset 69632\n", "",
         {"md_offset": 4096, "al_offset": 36864, "bm_offset": 69632}),
        ("r0: State change failed: (-1) Multiple primaries not allowed by config\n", "r0",
         {"error_code": -1, "error": "Multiple primaries not allowed by config"}),
        ("Command 'drbdmeta 1 v08 /dev/sdb1 internal create-md' terminated with exit code 40\n"
         "drbdadm create-md logs: exited with code 40\n", "logs", {"exit_code": 40}),
        ("Command 'drbdmeta 1 v08 /dev/sdb1 internal create-md' terminated with exit code 40\n",
         "sdb1", {"exit_code": 40}),
        ("    10481664 kB data area apparently used\n", "", {"used": 10481664 << 10}),
        ("# drbdadm role all\nPrimary/Secondary\nSecondary/Unknown\n", "",
         {"role": "Primary/Secondary, Secondary/Unknown"}),
    ],
)  # fmt: skip
def test_lines_alone(text: str, name: str, values: dict[str, Any]) -> None:
    assert _answers(text) == [(name, values)]


def test_each_resource_keeps_what_was_said_of_it() -> None:
    both = (
        "# drbdadm up all\n1: Failure: (102) Local address(port) already in use.\n"
        "Command 'drbdsetup connect 1' terminated with exit code 10\n"
        "2: State change failed: (-2) Need access to UpToDate data\n"
        "Command 'drbdsetup primary 2' terminated with exit code 17\n"
    )
    codes = {name: (said["error_code"], said["exit_code"]) for name, said in _answers(both)}
    assert codes == {"drbd1": (102, 10), "drbd2": (-2, 17)}


@pytest.mark.parametrize(
    "text",
    [
        "Primary/Secondary\n",
        "# cat roles\nPrimary/Secondary\n",
        "# nmcli device\nConnected\n",
        "The md_offset 4096 is where it stands\n",
        "job: Failure: (none)\n",
        "Command 'drbd' is not there\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _answers(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape != "with blank lines":
            assert _answers(changed) == _answers(TEXT), shape
