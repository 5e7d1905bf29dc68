"""README's lines in clean roots of distributions: no compiler, no network; then the first verbs.

By pipx and by uv. Those of aarch64 are tried in a guest of the lab: tests/lab/test_arm64.py.

Wheels are those of `dist/` where `make release` has left them (IOSONDE_DIST: elsewhere), else it
is built. What it needs from PyPI is fetched before, for the Python of each root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.install.roots import OWN, Root

pytestmark = [pytest.mark.long, pytest.mark.root, pytest.mark.xdist_group("roots")]

TOP = Path(__file__).parents[2]
DIST = Path(os.environ.get("IOSONDE_DIST", TOP / "dist"))
PACKAGES = ["python3", "python3-venv", "pipx", "fio", "util-linux"]
# As pip's PIP_NO_INDEX and PIP_FIND_LINKS; and no Python of uv's own.
UV = """\
no-index = true
offline = true
find-links = ["/wheels"]
python-preference = "only-system"
link-mode = "copy"
"""
WHEELS = {"amd64": "x86_64", "arm64": "aarch64"}
PYTHONS = {"bookworm": "3.11", "trixie": "3.13", "noble": "3.12"}
STUDY = ("run", "--fio", "fio --name first --ioengine psync --rw randread --bs 4k --size 4m",
         "--target", "/root", "--seconds", "1", "--loops", "2")  # fmt: skip


def wheel(machine: str) -> Path:
    """The wheel for a machine, built where there is none."""
    name = f"iosonde-*-abi3-manylinux_2_28_{WHEELS[machine]}.whl"
    if not list(DIST.glob(name)):
        subprocess.run(
            [TOP / "tools/release", "wheels"], cwd=TOP, check=True,
            env={**os.environ, "MACHINES": WHEELS[machine]},
        )  # fmt: skip
    return max(DIST.glob(name), key=lambda path: path.stat().st_mtime)


def fetch(into: Path, package: str, machine: str, python: str) -> None:
    """What the package and pipx need, as wheels for another Python and machine."""
    argv = [
        sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(into),
        "--only-binary=:all:", "--implementation=cp", f"--python-version={python}",
        *(f"--platform={tag}_{WHEELS[machine]}" for tag in
          ("manylinux_2_28", "manylinux_2_17", "manylinux2014")),
        package, "pip", "setuptools", "wheel", "uv",
    ]  # fmt: skip
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module", params=PYTHONS)
def root(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Root]:
    """A clean root with the wheels in /wheels, one after the other."""
    suite = request.param
    if shutil.which("mmdebstrap") is None:
        pytest.skip("needs mmdebstrap")
    made = Root(suite, tmp_path_factory.mktemp("roots"))
    try:
        made.make(PACKAGES)
        wheels = made.path / "wheels"
        wheels.mkdir()
        fetch(wheels, f"{wheel(OWN)}[report]", OWN, PYTHONS[suite])
        (made.path / "etc/uv").mkdir()
        place_uv(wheels, made.path / "usr/bin/uv", made.path / "etc/uv/uv.toml")
        yield made
    finally:
        made.remove()


def place_uv(wheels: Path, program: Path, settings: Path) -> None:
    """Write uv itself, out of its wheel, and what makes it take wheels from /wheels alone."""
    (packed,) = wheels.glob("uv-*.whl")
    with zipfile.ZipFile(packed) as archive:
        (member,) = (name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        program.write_bytes(archive.read(member))
    program.chmod(0o755)
    settings.write_text(UV)


@pytest.fixture(scope="module")
def by_pipx(root: Root) -> Root:
    """The root after the README's line, from the wheels alone."""
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}
    done = root.run("pipx", "install", "iosonde[report]", environment=offline, seconds=1800)
    assert done.returncode == 0, done.stderr
    return root


def test_nothing_in_the_root_compiles(root: Root) -> None:
    done = root.run("sh", "-c", "command -v cc gcc clang rustc cargo; command -v python3")
    assert done.stdout.split() == ["/usr/bin/python3"]


Run = Callable[..., subprocess.CompletedProcess[str]]
"""Runs its arguments as a command somewhere."""


def first_verbs(run: Run, command: str) -> None:
    """`show`, `run`, `explain` and `report`, the last of which loads what is compiled of others."""
    shown = run(command, "show", "--json")
    assert shown.returncode == 0, shown.stderr
    jsonschema.validate(json.loads(shown.stdout), schema("show"))
    measured = run(command, *STUDY, "--json")
    assert measured.returncode == 0, measured.stderr
    done = json.loads(measured.stdout)
    jsonschema.validate(done, schema("run"))
    assert len(done["trials"][0]["metrics"]["read.iops"]["loops"]) == 2
    explained = run(command, "explain", "last", "--json")
    assert explained.returncode in {0, 1}, explained.stderr
    jsonschema.validate(json.loads(explained.stdout), schema("explain"))
    run("rm", "-f", "/root/page.html")
    reported = run(command, "report", "last", "-o", "/root/page.html")
    assert reported.returncode == 0, reported.stderr
    assert "</html>" in run("cat", "/root/page.html").stdout


def test_the_first_verbs_work_by_pipx(by_pipx: Root) -> None:
    first_verbs(by_pipx.run, "iosonde")


def test_the_first_verbs_work_by_uv(root: Root) -> None:
    """`uv tool install`, into directories of its own beside those of pipx."""
    own = {"UV_TOOL_DIR": "/root/uv/tools", "UV_TOOL_BIN_DIR": "/root/uv/bin"}
    done = root.run("uv", "tool", "install", "iosonde[report]", environment=own, seconds=1800)
    assert done.returncode == 0, done.stderr
    first_verbs(root.run, "/root/uv/bin/iosonde")
    removed = root.run("uv", "tool", "uninstall", "iosonde", environment=own)
    assert removed.returncode == 0, removed.stderr
    assert not (root.path / "root/uv/bin/iosonde").exists()


def test_the_package_comes_and_goes(root: Root) -> None:
    """The .deb of `make release`, where there is one: installed, started, removed whole."""
    flavour = PYTHONS[root.suite].replace(".", "")
    debs = list(DIST.glob(f"iosonde_*~py{flavour}_{OWN}.deb"))
    if not debs:
        pytest.skip("needs the .deb of `tools/release deb`")
    shutil.copy(max(debs, key=lambda path: path.stat().st_mtime), root.path / "iosonde.deb")
    done = root.run("dpkg", "--install", "/iosonde.deb", seconds=1800)
    assert done.returncode == 0, done.stderr
    shown = root.run("/usr/bin/iosonde", "show", "--json")
    assert shown.returncode == 0, shown.stderr
    jsonschema.validate(json.loads(shown.stdout), schema("show"))
    removed = root.run("dpkg", "--remove", "iosonde")
    assert removed.returncode == 0, removed.stderr
    left = {name for name in ("opt/iosonde", "usr/bin/iosonde") if (root.path / name).exists()}
    assert left == set()


def test_the_rpm_comes_and_goes(root: Root) -> None:
    """That of `make release`, put into a root of Debian by rpm itself, its scripts included.

    Not shown by it: that its dependencies are found, since Debian's packages give rpm none of their
    names. They are those of the .deb under the names of RPM's distributions.
    """
    flavour = PYTHONS[root.suite].replace(".", "")
    rpms = list(DIST.glob(f"iosonde-*-1.py{flavour}.{WHEELS[OWN]}.rpm"))
    if not rpms or shutil.which("rpm") is None:
        pytest.skip("needs rpm, and the .rpm of `tools/release rpm` for this Python")
    package = str(max(rpms, key=lambda path: path.stat().st_mtime))
    rpm = ["rpm", "--root", str(root.path), "--dbpath", "/var/lib/rpm"]
    verify = subprocess.run(["rpm", "--checksig", "--nosignature", package], check=False)
    assert verify.returncode == 0
    installed = subprocess.run(
        [*rpm, "--install", "--nodeps", package], capture_output=True, text=True, check=False
    )
    assert installed.returncode == 0, installed.stderr
    try:
        assert "scriptlet failed" not in installed.stderr
        changed = subprocess.run(
            [*rpm, "--verify", "--nodeps", "iosonde"], capture_output=True, text=True, check=False
        )
        assert changed.stdout == ""
        assert list(root.path.glob("opt/iosonde/lib/iosonde/__pycache__/*.pyc"))
        first_verbs(root.run, "/usr/bin/iosonde")
    finally:
        removed = subprocess.run([*rpm, "--erase", "iosonde"], check=False)
    assert removed.returncode == 0
    left = [name for name in ("opt/iosonde", "usr/bin/iosonde") if (root.path / name).exists()]
    assert left == []
