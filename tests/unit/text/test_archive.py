"""Directories and tar archives of texts: what is read, and what a hostile one cannot do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from iosonde import limits
from iosonde.errors import UsageError
from iosonde.text.archive import Passed, collection_digest, open_documents
from iosonde.verbs.explain import explain
from iosonde.verbs.import_ import import_

MDSTAT = (
    "Personalities : [raid1]\n"
    "md0 : active raid1 sdb1[1] sda1[0]\n"
    "      1048512 blocks [2/2] [UU]\n\nunused devices: <none>\n"
)


def _collected(folder: Path) -> Path:
    top = folder / "sosreport-db1"
    (top / "proc").mkdir(parents=True)
    (top / "proc" / "mdstat").write_text(MDSTAT)
    (top / "notes.txt").write_text("nothing to read here\n")
    (top / "core").write_bytes(bytes(range(256)) * 40)
    (top / "shadow").symlink_to("/etc/shadow")
    os.mkfifo(top / "fifo")
    return top


def _names(name: str) -> tuple[list[str], Passed]:
    passed = Passed()
    return [document.name for document in open_documents(name, passed)], passed


def test_a_directory_is_read_file_by_file_and_what_is_no_text_passed_over(tmp_path: Path) -> None:
    top = _collected(tmp_path)
    names, passed = _names(str(top))
    assert names == [str(top / "notes.txt"), str(top / "proc" / "mdstat")]
    assert (passed.files, passed.failed) == (3, [])


@pytest.mark.parametrize("option", ["-cf", "-czf", "-cjf", "-cJf"])
def test_an_archive_of_tar_is_read_as_its_directory(tmp_path: Path, option: str) -> None:
    top = _collected(tmp_path)
    archive = tmp_path / "collected"
    subprocess.run(["tar", option, archive, "-C", tmp_path, top.name], check=True)
    names, passed = _names(str(archive))
    assert sorted(names) == [
        f"{archive}:sosreport-db1/notes.txt", f"{archive}:sosreport-db1/proc/mdstat"
    ]  # fmt: skip
    assert (passed.files, passed.failed) == (5, [])  # also two directories
    imported = import_(str(archive), dry_run=True)
    assert [capture.tool for capture in imported.captures] == ["mdstat"]
    assert imported.captures[0].source.file == f"{archive}:sosreport-db1/proc/mdstat"
    assert explain(str(archive)).recognised == 1


def test_a_collection_is_one_run_and_is_not_kept_twice(tmp_path: Path) -> None:
    top = _collected(tmp_path)
    store = str(tmp_path / "store.sqlite")
    (first,) = import_(str(top), store=store).runs
    (again,) = import_(str(top), store=store).runs
    assert (again.run, again.already) == (first.run, True)
    (top / "proc" / "mdstat").write_text(MDSTAT.replace("[UU]", "[U_]"))
    (changed,) = import_(str(top), store=store).runs
    assert not changed.already


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_an_archive_that_is_cut_off_is_an_error_after_what_it_holds(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, content in (("mdstat", MDSTAT.encode()), ("random", os.urandom(200_000))):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    packed = pack(whole.getvalue())
    (tmp_path / "cut").write_bytes(packed[: len(packed) // 2])
    documents = open_documents(str(tmp_path / "cut"), Passed())
    if pack is not bz2.compress:  # whose blocks of 900 kB come whole or not at all
        assert next(documents).name.endswith(":mdstat")
        with pytest.raises(UsageError, match="is a damaged archive"):
            list(documents)
    else:
        with pytest.raises(UsageError, match="packed by bzip2"):
            list(documents)


def test_texts_that_are_packed_alone_are_no_archives(tmp_path: Path) -> None:
    (tmp_path / "one.gz").write_bytes(gzip.compress(MDSTAT.encode()))
    assert _names(str(tmp_path / "one.gz"))[0] == [str(tmp_path / "one.gz")]
    assert collection_digest(str(tmp_path / "one.gz")) is None
    (tmp_path / "one.xz").write_bytes(lzma.compress(MDSTAT.encode()))
    with pytest.raises(UsageError, match="packed by xz"):
        _names(str(tmp_path / "one.xz"))


def test_a_header_that_claims_a_gigabyte_fills_no_memory(tmp_path: Path) -> None:
    text, claimed = tarfile.TarInfo("mdstat"), tarfile.TarInfo("pax")
    text.size, claimed.type, claimed.size = len(MDSTAT), tarfile.XHDTYPE, 1 << 30
    with gzip.open(tmp_path / "bomb", "wb", compresslevel=1) as file:
        file.write(text.tobuf(tarfile.USTAR_FORMAT) + MDSTAT.encode().ljust(512, b"\0"))
        file.write(claimed.tobuf(tarfile.USTAR_FORMAT) + bytes(24 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="a header of 1073741824 bytes"):
            _names(str(tmp_path / "bomb"))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_limits_of_files_and_bytes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = _collected(tmp_path)
    monkeypatch.setattr(limits, "ARCHIVE_FILES", 2)
    with pytest.raises(UsageError, match="more than 2 files"):
        _names(str(top))
    monkeypatch.undo()
    subprocess.run(["tar", "-cf", tmp_path / "c.tar", "-C", tmp_path, top.name], check=True)
    monkeypatch.setattr(limits, "ARCHIVE", 100)
    with pytest.raises(UsageError, match="unpacks to more than 100 B"):
        _names(str(tmp_path / "c.tar"))


def test_a_file_without_permission_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    top = _collected(tmp_path)
    (top / "a.gz").write_bytes(gzip.compress(b"x" * 99)[:-9])
    names, passed = _names(str(top))
    assert str(top / "proc" / "mdstat") in names
    assert [problem.where for problem in passed.failed] == [str(top / "a.gz")]
