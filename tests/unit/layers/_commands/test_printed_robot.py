"""Heads of reports of the kernel's test robot. Oracle: the sample's lines, cut by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._commands.printed_robot import LkftBuild, RobotBuild
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "builds-composed" / "robot.txt").read_text()


def _values(text: str) -> list[dict[str, object]]:
    return [dict(subject.values) for subject in subjects_in(text, RobotBuild.tool)]


def test_what_was_built_of_what() -> None:
    (values,) = _values(TEXT)
    rows = dict(line.split(":", 1) for line in TEXT.splitlines()[:5])
    assert values == {
        "tree": rows["tree"].strip(), "head": rows["head"].strip(),
        "commit": "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "commit_of": "7/12",
        "subject": "pond: count the herons", "architecture": "riscv",
        "config": "randconfig-r042-20260102", "compiler": rows["compiler"].strip(),
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "config: x86_64-randconfig-a002 (attached as .config)\n",
        "compiler: gcc-11\nconfig: our own\nhead: aches\n",
        "commit: done\n\nconfig: see below\n\ncompiler: none\n",
    ],
)
def test_other_lists_of_such_names(text: str) -> None:
    assert _values(text) == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        for values in _values(changed):
            assert values.items() >= {"architecture": "riscv", "commit_of": "7/12"}.items(), shape
            assert values["config"] == "randconfig-r042-20260102", shape
    for shape, changed in mangled(TEXT, wraps=False):
        assert _values(changed) == _values(TEXT), shape


LKFT = (Path(__file__).parents[3] / "outputs" / "builds-composed" / "lkft.txt").read_text()


def _tested(text: str) -> list[dict[str, object]]:
    return [dict(subject.values) for subject in subjects_in(text, LkftBuild.tool)]


def test_what_lkft_built_describes_its_own_commit() -> None:
    for shape, changed in mangled(LKFT, wraps=False):
        (values,) = _tested(changed)
        assert values["kernel"] == "6.99.3-rc1", shape
        assert values["branch"] == "linux-6.99.y"
        assert str(values["commit"]).startswith(str(values["describe"]).rpartition("-g")[2])


def test_a_describe_alone_says_too_little() -> None:
    assert _tested("git describe: v6.99.2\n") == []
    assert _tested("We ran git describe: it prints v6.99.2\n") == []
