"""The container, built by podman from its recipe on a base that mmdebstrap makes in Debian's place.

pip gets its wheels from a directory, as in clean roots; apt reaches the archive.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from iosonde.lab.recipe import source
from iosonde.verbs.schema import schema
from tests.install.roots import OWN
from tests.install.test_clean_roots import PYTHONS, STUDY, TOP, fetch, wheel

pytestmark = [pytest.mark.long, pytest.mark.root, pytest.mark.xdist_group("roots")]

BASE, IMAGE = "docker.io/library/debian:trixie-slim", "localhost/iosonde:tried"


@dataclass(frozen=True)
class Podman:
    """Podman with a storage of its own."""

    storage: Path

    def run(self, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        own = ["podman", "--root", f"{self.storage}/root", "--runroot", f"{self.storage}/run",
               "--cgroup-manager=cgroupfs"]  # fmt: skip
        done = subprocess.run(
            [*own, *argv], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            timeout=1500,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stderr[-3000:]
        return done

    def build(self, recipe: Path, context: Path, *more: str) -> None:
        """Without an OCI runtime, which needs cgroups and limits that not every machine lets it."""
        self.run(
            "build", "--pull=never", "--no-cache", "--isolation=chroot", *more,
            "--file", str(recipe), str(context),
        )  # fmt: skip

    def inside(self, command: str) -> str:
        """What a command of sh prints as the image's user."""
        recipe = self.storage / "step"
        out = "/home/iosonde/kept/out"
        recipe.write_text(f"FROM {IMAGE}\nRUN {{ {command}; }} >{out} || exit $?\n")
        kept = f"--volume={self.storage}/kept:/home/iosonde/kept"
        self.build(recipe, self.storage / "context", kept)
        printed = self.storage / "kept/out"
        text = printed.read_text("utf-8")
        printed.unlink()
        return text


@pytest.fixture(scope="module")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Podman]:
    """With the image of the recipe."""
    for program in ("podman", "mmdebstrap"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    place = tmp_path_factory.mktemp("container")
    made = Podman(place)
    archive, wheels, context = place / "base.tar", place / "wheels", place / "context"
    for directory in (wheels, context):
        directory.mkdir()
    subprocess.run(
        ["unshare", "--mount", "mmdebstrap", "--quiet", "--variant=minbase", "--skip=check/qemu",
         "trixie", str(archive), source().uri],
        check=True, timeout=1500,
    )  # fmt: skip
    own = wheel(OWN)
    fetch(wheels, f"{own}[predict,report,tune]", OWN, PYTHONS["trixie"])
    shutil.copy(own, context)
    (place / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    made.run("import", str(archive), BASE)
    archive.unlink()
    made.build(
        TOP / "packaging/Containerfile", context, "--network=host", "--tag", IMAGE,
        "--build-arg", f"WHEEL={own.name}", f"--volume={wheels}:/wheels:ro",
        f"--volume={place}/pip.conf:/etc/pip.conf:ro",
    )  # fmt: skip
    kept = place / "kept"
    kept.mkdir()
    kept.chmod(0o1777)
    number = int(made.inside("id -u"))  # what others may write to is refused
    shutil.chown(kept, number, number)
    kept.chmod(0o755)
    yield made
    made.run("rmi", "--all", "--force", check=False)


def test_the_usual_user_is_not_root_and_the_command_is_what_starts(podman: Podman) -> None:
    assert int(podman.inside("id -u")) != 0
    assert podman.inside("command -v cc gcc rustc; :") == ""
    (image,) = json.loads(podman.run("image", "inspect", IMAGE).stdout)
    assert image["Config"]["Entrypoint"] == ["iosonde"]
    assert image["Config"]["User"] == "iosonde"


def test_the_first_verbs_work_in_it(podman: Podman) -> None:
    jsonschema.validate(json.loads(podman.inside("iosonde show --json")), schema("show"))
    kept = "--store /home/iosonde/kept/store.sqlite"
    study = shlex.join(word if word != "/root" else "/home/iosonde" for word in STUDY)
    measured = json.loads(podman.inside(f"iosonde {study} {kept} --json"))
    jsonschema.validate(measured, schema("run"))
    assert len(measured["trials"][0]["metrics"]["read.iops"]["loops"]) == 2
    explained = json.loads(podman.inside(f"iosonde explain last {kept} --json || [ $? = 1 ]"))
    jsonschema.validate(explained, schema("explain"))
    podman.inside(f"iosonde report last {kept} -o /home/iosonde/kept/page.html")
    assert "</html>" in (podman.storage / "kept/page.html").read_text("utf-8")
