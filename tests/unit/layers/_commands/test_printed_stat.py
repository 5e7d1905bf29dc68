"""`stat FILE`. Oracle: stat(2) of a file of our own, and the real program's output of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "commands-composed" / "stat.txt").read_text()


def _files(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(row.name, dict(row.values)) for row in counters(text, "stat")]


@pytest.mark.parametrize("size", [0, 1, 4096, 1 << 20])
def test_what_the_real_program_prints(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a file"
    path.write_bytes(b"x" * size)
    text = subprocess.run(
        ["stat", path], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}
    ).stdout
    ((name, values),) = _files(text)
    state = path.stat()
    assert name == str(path)
    assert values["size"] == state.st_size == size
    assert values["allocated"] == state.st_blocks * 512
    assert values["io_block"] == state.st_blksize
    assert (values["inode"], values["links"]) == (state.st_ino, 1)


def test_the_sample() -> None:
    ((name, values),) = _files(TEXT)
    assert (name, values["type"], values["allocated"]) == ("/mnt/frob", "regular file", 2056 * 512)


def test_several_files_are_several() -> None:
    other = TEXT.partition("\n")[2].replace("frob", "other").replace("1048577", "7")
    assert [name for name, _ in _files(TEXT + other)] == ["/mnt/frob", "/mnt/other"]


def test_other_words_about_blocks() -> None:
    assert not _files("Size: 12 MB, Blocks: 24, IO Block: 4096\n")
    assert not _files("The IO Block: 4096 is what stat prints\n")


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _files(text) == _files(TEXT), shape
