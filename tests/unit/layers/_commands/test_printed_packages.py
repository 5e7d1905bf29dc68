"""Packages. Oracle: dpkg-query, which prints each field by its name."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_packages import Dpkg, PackageFields, PackageNames
from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "packages-composed"
DPKG, NAMES = ((OUTPUTS / f"{name}.txt").read_text() for name in ("dpkg", "names"))
TOOLS = {Dpkg.tool, PackageFields.tool, PackageNames.tool}


def _packages(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, *TOOLS)]


def test_rows_of_dpkg() -> None:
    assert _packages(DPKG) == [
        ("libpond2:amd64",
         {"state": "installed", "version": "1:2.40-3+deb13u1", "architecture": "amd64"}),
        ("pond-tools", {"state": "installed", "version": "4.1-7~bpo12+1",
                        "architecture": "amd64", "hold": True}),
        ("pond-old", {"state": "config files", "version": "0.9-1", "architecture": "all"}),
    ]  # fmt: skip


def test_rpm_pacman_apt_and_the_fields_of_dpkg() -> None:
    assert _packages(NAMES) == [
        ("pond-tools", {"version": "4.1", "release": "7.el9", "architecture": "x86_64",
                        "state": "installed"}),
        ("kernel", {"version": "5.14.0", "release": "999.1.1.el9_9", "architecture": "aarch64",
                    "state": "installed"}),
        ("pond-old", {"state": "not installed"}),
        ("pond-tools", {"version": "4.1-2", "state": "installed"}),
        ("linux", {"version": "6.99.1.arch1-1", "state": "installed"}),
        ("pond-tools", {"installed": "4.1-7", "candidate": "4.2-1"}),
        ("pond-tools", {"state": "install ok installed", "architecture": "amd64",
                        "version": "4.1-7"}),
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="no dpkg")
def test_dpkg_itself() -> None:
    def run(*command: str) -> str:
        return subprocess.run(
            command, capture_output=True, text=True, check=True,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        ).stdout  # fmt: skip

    names = ("bash", "coreutils", "dpkg")
    fields = run("dpkg-query", "-W", "-f", "${binary:Package} ${Version} ${Architecture}\n", *names)
    rows = [tuple(line.split(" ")) for line in fields.splitlines()]
    listed = _packages(run("dpkg", "-l", *names))
    assert [(name, values["architecture"]) for name, values in listed] == [
        (name, architecture) for name, _, architecture in rows
    ]
    for (_, values), (_, version, _) in zip(listed, rows, strict=True):
        assert values.get("version", version) == version
    (single,) = _packages(run("dpkg", "-s", "dpkg"))
    assert single[1]["version"] == {row[0]: row[1] for row in rows}["dpkg"]


def test_a_version_that_a_narrow_terminal_cut_is_left_out() -> None:
    row = "ii  pond-tools     1:4.1.20260104 amd64        tools for ponds\n"
    ((_, values),) = _packages(row)
    assert "version" not in values
    ((_, values),) = _packages(row.replace("20260104 amd64", "2026010  amd64"))
    assert values["version"] == "1:4.1.2026010"


@pytest.mark.parametrize(
    "text",
    [
        "ii  the second point is 4.1\n",
        "Candidate: 4.2\n  Installed: by hand\n",
        "Status: install failed\n",
        "I ran rpm -q and got:\nnothing at all\n",
        "pond-tools-4.1-7.el9.x86_64\n",
        "Version: 4.1-7\nArchitecture: amd64\n",
    ],
)
def test_what_names_no_package(text: str) -> None:
    assert _packages(text) == []


@pytest.mark.parametrize("text", [DPKG, NAMES])
def test_every_shape(text: str) -> None:
    whole = _packages(text)
    for shape, changed in mangled(text, wraps=False):
        if shape == "with blank lines" and text is NAMES:  # they end the fields of dpkg -s
            assert _packages(changed)[:5] == whole[:5]
        else:
            assert _packages(changed) == whole, shape


def test_a_description_that_a_mail_broke() -> None:
    assert _packages(folded(DPKG, 72)) == _packages(DPKG)
