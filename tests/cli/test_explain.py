"""`iosonde explain` on texts: what was judged, and what could not be."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

RESULT = "/dev/sda:\n Timing buffered disk reads: 552 MB in  3.01 seconds = 183.39 MB/sec\n"
PROSE = "The disks of the new node are fast; nobody has measured them.\n"


def test_a_text_in_which_nothing_is_recognised_was_not_judged(
    tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    for name, text in (("notes.txt", PROSE), ("empty.txt", "")):
        (tmp_path / name).write_text(text)
        done = iosonde("explain", name)
        assert done.status == 1
        assert done.stdout == f"nothing was recognised in {name}: it was not judged\n"
        assert "`iosonde import --kinds` lists" in done.stderr
        as_json = iosonde("explain", name, "--json")
        assert (as_json.status, as_json.json["recognised"]) == (1, 0)


def test_a_text_with_nothing_wrong_is_fine(tmp_path: Path, iosonde: Callable[..., Ended]) -> None:
    (tmp_path / "good.txt").write_text(RESULT)
    done = iosonde("explain", "good.txt")
    assert (done.status, done.stdout) == (0, "no problems found (1 trial checked)\n")
    assert iosonde("explain", "good.txt", "--json").json["recognised"] == 1
    (tmp_path / "command.txt").write_text("$ fio --name=a --rw=randread --direct=1 --size=1G\n")
    assert iosonde("explain", "command.txt").status == 0


def test_a_text_that_says_nothing_is_named_beside_one_that_does(
    tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    (tmp_path / "good.txt").write_text(RESULT)
    (tmp_path / "notes.txt").write_text(PROSE)
    done = iosonde("explain", "good.txt", "notes.txt")
    assert done.status == 0
    assert "nothing was recognised in notes.txt" in done.stderr
    assert "good.txt" not in done.stderr


def _zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("result.txt", content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("pack", "kind"),
    [
        (_zipped, "a zip archive"),
        (lzma.compress, "packed by xz"),
        (lambda content: b"\x28\xb5\x2f\xfd" + content, "packed by zstd"),
    ],
)
def test_an_archive_is_refused_by_its_kind(
    tmp_path: Path, iosonde: Callable[..., Ended], pack: Callable[[bytes], bytes], kind: str
) -> None:
    (tmp_path / "packed").write_bytes(pack(RESULT.encode()))
    for verb in ("explain", "import"):
        done = iosonde(verb, "./packed")
        assert done.status == 2
        assert f"packed: is {kind}, which is not unpacked here" in done.stderr
        assert "no problems found" not in done.stdout


def test_texts_that_begin_like_archives_are_texts(
    tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    for begin in ("BZh is what bzip2 writes.\n", "070701 was the day.\n", "PK is a name.\n"):
        (tmp_path / "near.txt").write_text(begin + RESULT)
        assert iosonde("explain", "near.txt").status == 0
    (tmp_path / "packed.gz").write_bytes(gzip.compress(RESULT.encode()))
    assert iosonde("explain", "./packed.gz").status == 0


def _seconds(*thousands: int) -> str:
    rows = "".join(
        f"IOPS={count}K, BW={count / 2.048:.0f}MiB/s, IOS/call=31/30\n" for count in thousands
    )
    return f"$ t/io_uring -d128 -b512 -n1 /dev/nvme0n1\n{rows}"


def test_a_drift_that_matters_nothing_is_not_said(
    tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    (tmp_path / "even.txt").write_text(_seconds(2794, 2793, 2789, 2779, 2780, 2779))
    assert iosonde("explain", "even.txt").stdout == "no problems found (1 trial checked)\n"
    (tmp_path / "falls.txt").write_text(_seconds(2794, 2793, 2680, 2579, 2570, 2579))
    findings = iosonde("explain", "falls.txt", "--json").json["findings"]
    assert [finding["rule"] for finding in findings] == ["drift"]
