"""The version stands in one place, and CHANGELOG.md has a section for each (docs/releasing.md)."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

TOP = Path(__file__).parents[2]
SECTIONS = re.findall(r"^## (.*)$", (TOP / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
HEADING = re.compile(r"(\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d\d-\d\d)\)")


def test_the_newest_section_is_of_the_version_that_is_built() -> None:
    declared = tomllib.loads((TOP / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    assert SECTIONS[0].split()[0] == declared["version"]
    assert version("iosonde") == declared["version"]
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert "version" not in project
    assert "version" in project["dynamic"]


def test_each_section_names_a_version_and_its_day_the_newest_first() -> None:
    matches = [HEADING.fullmatch(section) for section in SECTIONS]
    assert all(matches), SECTIONS
    numbers = [tuple(map(int, match.groups()[:3])) for match in matches if match]
    assert numbers == sorted(set(numbers), reverse=True)
    assert all(match[4] != "unreleased" for match in matches[1:] if match)


def test_every_crate_has_the_version_of_the_workspace() -> None:
    crates = list(TOP.glob("crates/*/Cargo.toml"))
    assert crates
    for crate in crates:
        package = tomllib.loads(crate.read_text("utf-8"))["package"]
        assert package["version"] == {"workspace": True}
