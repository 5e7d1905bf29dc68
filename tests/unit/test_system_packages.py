"""tools/system-packages changes no source of packages unless it is asked to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "system-packages"


@pytest.fixture
def system(tmp_path: Path) -> dict[str, str]:
    """A Debian system of root's without iozone, whose sources have no section non-free."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, body in {
        "id": "echo 0",
        "apt-cache": ":",
        "apt-get": f'echo "$@" >>{tmp_path}/asked',
        "sed": 'exec /bin/sed "$@"',
    }.items():
        program = programs / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    sources = tmp_path / "sources.list.d"
    sources.mkdir()
    (sources / "debian.sources").write_text("Types: deb\nComponents: main\n")
    script = SCRIPT.read_text().replace("/etc/apt/sources.list.d", str(sources))
    script = script.replace("/etc/apt/sources.list", str(tmp_path / "none"))
    script = script.replace("PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin\n", "")
    (tmp_path / "script").write_text(script)
    return {"PATH": f"{programs}:{tmp_path}/shell", "SOURCES": str(sources)}


def run(system: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    script = Path(system["SOURCES"]).parent / "script"
    (script.parent / "shell").mkdir(exist_ok=True)
    for name in ("mv", "cat"):
        link = script.parent / "shell" / name
        if not link.exists():
            link.symlink_to(f"/bin/{name}")
    return subprocess.run(
        ["/bin/sh", str(script), *arguments], env=system, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_no_source_is_added_unasked(system: dict[str, str]) -> None:
    ended = run(system, "test")
    assert ended.returncode == 1
    assert "run tools/system-packages --add-sources test" in ended.stderr
    assert [path.name for path in Path(system["SOURCES"]).iterdir()] == ["debian.sources"]


def test_asked_to_it_adds_the_section(system: dict[str, str]) -> None:
    ended = run(system, "--add-sources", "test")
    assert ended.returncode == 0, ended.stderr
    added = Path(system["SOURCES"]) / "iosonde-non-free.sources"
    assert "Components: non-free" in added.read_text()
    assert "iozone3" in (Path(system["SOURCES"]).parent / "asked").read_text()


def test_a_wrong_purpose_is_told(system: dict[str, str]) -> None:
    assert run(system).returncode == 2
    assert run(system, "dance").returncode == 2
