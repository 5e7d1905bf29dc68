"""lsattr. Oracle: the long names and the letters tell of the same attributes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "lsattr.txt").read_text()


def _files(text: str) -> list[dict[str, Json]]:
    return [dict(each.values) for each in counters(text, "lsattr")]


def test_attributes_by_letter() -> None:
    (values,) = _files(TEXT)
    assert values == {
        "files": 4, "attributes": {"e": 3, "i": 1, "C": 1},
        "rows": [
            {"file": "/srv/a", "attributes": "e"}, {"file": "/srv/b", "attributes": ""},
            {"file": "/srv/a/kept", "attributes": "i e"},
            {"file": "/srv/a/disk image.img", "attributes": "e C"},
        ],
    }  # fmt: skip


def test_long_names_and_numbers() -> None:
    text = "/srv/a/kept                  Immutable, Extents\n/srv/a/b                     Extents\n"
    (values,) = _files(text)
    assert values["attributes"] == {"Immutable": 1, "Extents": 2}
    (values,) = _files("    0 2992769795 --------------e------- /srv/a/f6\n")
    assert values["rows"] == [
        {"project": "0", "version": "2992769795", "file": "/srv/a/f6", "attributes": "e"}
    ]


def test_the_real_program(tmp_path: Path) -> None:
    lsattr = shutil.which("lsattr")
    (tmp_path / "a file").touch()
    done = subprocess.run([str(lsattr), str(tmp_path)], capture_output=True, text=True, check=False)
    if done.returncode or "e" not in done.stdout.partition(" ")[0]:
        pytest.skip("the file system has no such attributes")
    (values,) = _files(done.stdout)
    assert values["rows"] == [
        {"file": str(tmp_path / "a file"),
         "attributes": " ".join(done.stdout.partition(" ")[0].replace("-", ""))}
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "--------------------------\n", "-i-- is an option\n", "|---------e------| what\n",
        "My favourite are Extents\n", "drwxr-xr-x 2 root root\n", "-------- Original Message\n",
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not read(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _files(text) == _files(TEXT), shape
