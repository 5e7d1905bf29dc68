"""getfattr. Oracle: entries of a directory are its files and subdirectories, and xattr(7)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "files-composed" / "getfattr.txt").read_text()


def _read(text: str) -> list[PrintedCounters]:
    return counters(text, "getfattr")


def test_a_directory_of_ceph_counts_its_entries() -> None:
    home, _ = _read(TEXT)
    assert (home.kind, home.name) == ("file", "mnt/cephfs/home")
    files, directories = home.values["ceph.dir.files"], home.values["ceph.dir.subdirs"]
    assert isinstance(files, int)
    assert isinstance(directories, int)
    assert home.values["ceph.dir.entries"] == files + directories
    assert home.values["ceph.dir.rbytes"] == 708822611968
    assert home.values["ceph.dir.rctime"] == "1457535283.09430737000"
    assert home.values["ceph.quota"] == "max_bytes=1099511627776 max_files=0"


def test_attributes_of_a_file_are_texts() -> None:
    _, file = _read(TEXT)
    assert file.values == {
        "security.capability": "0sAQAAAgAgAAAAAAAAAAAAAAAAAAA=",
        "security.selinux": "system_u:object_r:tmp_t:s0",
        "trusted.afr.vol-client-1": "0x000000020000000000000000",
        "user.empty": "", "user.quoted": 'a \\"word\\"',
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ('# file: .\nceph.dir.entries="12"\n', ".", {"ceph.dir.entries": 12}),
        ('ceph.dir.rfiles="3"\n', "", {"ceph.dir.rfiles": 3}),
        ("# file: f\nsecurity.ima=0x0404f2\n", "f", {"security.ima": "0x0404f2"}),
        ("# file: file\nceph.local.clientid=\"client4360\"\n", "file",
         {"ceph.local.clientid": "client4360"}),
    ],
)  # fmt: skip
def test_an_attribute_alone(text: str, name: str, values: dict[str, object]) -> None:
    (row,) = _read(f"It says\n\n{text}\nat last.\n")
    assert (row.name, row.values) == (name, values)


def test_the_attributes_of_a_file_of_this_host(tmp_path: Path) -> None:
    program, path = shutil.which("getfattr"), tmp_path / "file"
    if not program:
        pytest.skip("getfattr is not installed")
    path.touch()
    subprocess.run(["setfattr", "-n", "user.iosonde", "-v", "7", str(path)], check=True)
    done = subprocess.run([program, "-d", str(path)], capture_output=True, text=True, check=True)
    (row,) = _read(done.stdout)
    assert row.values == {"user.iosonde": "7"}


@pytest.mark.parametrize(
    "text",
    [
        "# file: mnt/my-file\n# owner: u1001\n# group: u1001\nuser::rw-\nuser:u1001:rwx\n",
        "The attribute ceph.dir.entries counts them\n",
        "$ getfattr -n ceph.dir.entries .\n",
        " security/security.c                           |   15 +++++++++++++--\n",
        "# file: the list of files\nis below\n",
        "ceph.dir.entries=\n",
    ],
)
def test_what_looks_alike_is_not_read(text: str) -> None:
    assert not _read(text)


def test_every_shape() -> None:
    expected = [(row.name, row.values) for row in _read(TEXT)]
    for shape, changed in mangled(TEXT, wraps=False):
        if shape == "escaped":  # a backslash of its own goes, too
            continue
        assert [(row.name, row.values) for row in _read(changed)] == expected, shape


def test_broken_lines_give_no_wrong_value() -> None:
    whole = {row.name: row.values for row in _read(TEXT)}
    for shape, changed in mangled(TEXT):
        for row in _read(changed):
            assert all(whole[row.name][name] == value for name, value in row.values.items()), shape
