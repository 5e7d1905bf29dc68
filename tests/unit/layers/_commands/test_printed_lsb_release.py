"""lsb_release. Oracle: one of its lines by itself says what the whole says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "commands-composed"
TEXT = (OUTPUTS / "lsb-release.txt").read_text()


def _facts(text: str) -> list[dict[str, object]]:
    return [dict(subject.values) for subject in subjects_in(text)]


def test_whole_and_one_line() -> None:
    whole, part = _facts(TEXT)
    assert whole == {
        "distribution": "Ubuntu", "distribution_name": "Ubuntu 22.04.3 LTS",
        "distribution_version": "22.04", "distribution_codename": "jammy",
    }  # fmt: skip
    assert part.items() <= whole.items()


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        expected = 1 if shape == "with blank lines" else 2  # a command stands right above its line
        assert _facts(changed)[:expected] == _facts(TEXT)[:expected], shape


def test_its_file() -> None:
    text = "DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=22.04\nDISTRIB_CODENAME=jammy\n"
    assert _facts(text) == [{
        "distribution": "Ubuntu", "distribution_version": "22.04",
        "distribution_codename": "jammy",
    }]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["Description:\tbroken disk\nRelease:\t12\n", "No LSB modules are available.\n",
     "The Codename: is jammy\n"],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert _facts(text) == []
