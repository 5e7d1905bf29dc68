"""Any input takes bounded memory and time, its error names the limit, and others are not lost."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from iosonde import limits
from iosonde._core import Anchors
from iosonde.errors import UsageError
from iosonde.records.printed import OutputReading, Unread
from iosonde.text.document import of_bytes, open_document
from iosonde.text.find import FoundOutput, find
from iosonde.text.window import View
from tests.hostile.conftest import COMMAND, clean_environment
from tests.hostile.measured import MIB, Ended, measured

Run: TypeAlias = Callable[..., Ended]
_TRACE = ["trace", "describe"]
_IOLOG = "fio version 2 iolog\n/x add\n/x open\n" + "/x read 0 4096\n" * 100
_HDPARM = (
    "/dev/sda:\n Timing cached reads:   12806 MB in  2.00 seconds = 6408.51 MB/sec\n"
    " Timing buffered disk reads:  512 MB in  3.01 seconds = 170.10 MB/sec\n"
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`iosonde` with its memory."""

    def start(*arguments: str | Path, **options: object) -> Ended:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return measured(arguments, clean_environment(home), home, **options)  # type: ignore[arg-type]

    return start


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A text with one output."""
    path = tmp_path / "good.txt"
    path.write_text(_HDPARM)
    return path


# What has no end


@pytest.mark.parametrize(
    "verb", [["import"], ["explain"], ["log"], _TRACE], ids=lambda record: record[0]
)
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(run: Run, verb: list[str], name: str) -> None:
    done = run(*verb, name)
    assert (done.status, "is a character device" in done.stderr) == (2, True), done.stderr
    assert done.memory < 300 * MIB


@pytest.mark.parametrize("verb", [["import"], ["log"], _TRACE], ids=lambda record: record[0])
def test_standard_input_without_end_is_refused(run: Run, verb: list[str]) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        done = run(*verb, "-", stdin=zeros)
    assert (done.status, "is a character device" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("verb", [["import"], ["log"], _TRACE], ids=lambda record: record[0])
def test_a_fifo_nobody_writes_to_is_refused(run: Run, tmp_path: Path, verb: list[str]) -> None:
    os.mkfifo(tmp_path / "fifo")
    done = run(*verb, tmp_path / "fifo", timeout=30)
    assert (done.status, "is a FIFO to which nobody wrote for 5 s" in done.stderr) == (2, True), (
        done.stderr
    )


def test_a_fifo_somebody_writes_to_is_read(run: Run, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for verb, text in ((["import", "--dry-run"], _HDPARM), (["log"], _IOLOG), (_TRACE, _IOLOG)):
        writer = threading.Thread(target=fifo.write_text, args=(text,))
        writer.start()
        done = run(*verb, fifo)
        writer.join()
        assert (done.status, str(fifo) in done.stdout) == (0, True), done.stderr


def test_a_pipe_without_end_is_read_up_to_the_limit(run: Run, good: Path) -> None:
    with subprocess.Popen(["yes", "a line of text"], stdout=subprocess.PIPE) as yes:
        done = run("import", "--dry-run", "-", good, stdin=yes.stdout)
        yes.kill()
    assert done.status == 2
    assert "longer than 256 MiB" in done.stderr
    assert "to do: write it to a file" in done.stderr
    assert "hdparm" in done.stdout
    assert done.memory < 900 * MIB


def test_a_shells_pipe_and_substitution_are_read(good: Path, tmp_path: Path) -> None:
    for script in ('cat "$1" | "$2" -c "$3" import --dry-run -',
                   '"$2" -c "$3" import --dry-run <(cat "$1")',
                   '"$2" -c "$3" import --dry-run - < "$1"'):  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", script, "bash", str(good), sys.executable, COMMAND[2]],
            env=clean_environment(tmp_path), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, "hdparm" in done.stdout) == (0, True), (script, done.stderr)


# What unpacks to more than it is


def _bomb(path: Path) -> Path:
    """3 GiB in 3 MB: 48 members of 64 MiB."""
    member = zlib.compressobj(9, wbits=31)
    packed = b"".join(member.compress(bytes(MIB).replace(b"\0", b"x")) for _ in range(64))
    packed += member.flush()
    path.write_bytes(packed * 48)
    return path


def test_a_gzip_bomb_is_refused_and_the_others_are_read(
    run: Run, good: Path, tmp_path: Path
) -> None:
    bomb = _bomb(tmp_path / "bomb.gz")
    assert bomb.stat().st_size < 4 * MIB
    done = run("import", "--dry-run", bomb, good)
    assert done.status == 2
    assert f"{bomb}: unpacks to more than 256 MiB, the limit" in done.stderr
    assert "hdparm" in done.stdout
    assert done.memory < 900 * MIB


def test_gzip_around_gzip_ends() -> None:
    data = _HDPARM.encode()
    for _ in range(limits.WRAPPINGS):
        data = gzip.compress(data)
    assert list(find(of_bytes("a", data)))
    with pytest.raises(UsageError, match="gzip in gzip more than 3 times"):
        of_bytes("a", gzip.compress(data))


def test_several_members_and_padding_of_gzip_are_read() -> None:
    half = len(_HDPARM) // 2
    packed = b"".join(gzip.compress(part.encode()) for part in (_HDPARM[:half], _HDPARM[half:]))
    assert of_bytes("a", packed + bytes(10_000)).data == _HDPARM.encode()
    for cut in (3, 12, len(packed) - 3):
        with pytest.raises(UsageError, match="damaged gzip"):
            of_bytes("a", packed[:cut])


def _pdf(objects: list[bytes]) -> bytes:
    out, places = b"%PDF-1.5\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, table,
    )  # fmt: skip


def _pages(count: int, stream: bytes, filters: bytes) -> bytes:
    """A PDF whose pages all show the same stream."""
    kids = b" ".join(b"4 0 R" for _ in range(count))
    return _pdf([
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F 3 0 R>>>>"
        b"/Contents 5 0 R>>",
        b"<</Length %d/Filter%s>>stream\n%s\nendstream" % (len(stream), filters, stream),
    ])  # fmt: skip


def test_bombs_in_pdf_are_ended(
    tmp_path: Path, good: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "READER_SECONDS", 1)
    show = b"BT /F 9 Tf " + b"(x) Tj " * 20_000 + b" ET "
    bombs = {
        "twice packed": _pages(
            1, zlib.compress(zlib.compress(b" " * (100 * MIB), 9), 9), b"[/FlateDecode/FlateDecode]"
        ),
        "many pages": _pages(1_000, zlib.compress(show * 10, 9), b"/FlateDecode"),
    }
    for name, data in bombs.items():
        begun = time.monotonic()
        with pytest.raises(UsageError, match="PDF") as caught:
            of_bytes(name, data)
        assert time.monotonic() - begun < 60, name
        assert caught.value.hint
    path = tmp_path / "bomb.pdf"
    path.write_bytes(bombs["twice packed"])
    done = run("import", "--dry-run", path, good)
    assert (done.status, "hdparm" in done.stdout) == (2, True), done.stderr
    assert done.memory < 1500 * MIB


# Pages and mails that are deep or strange


@pytest.mark.parametrize(
    "page",
    [
        b"<html><pre>" + b" <b>" * 60_000,
        b"<html>" + b"<div>" * 60_000 + b"x",
        b"<html>" + b"<!--" * 60_000,
        b"<html>" + b"<a " * 60_000,
        b"<html>" + b"<![CDATA[" * 30_000,
        b"<html>" + b"&#1" * 60_000,
        b"<html>" + b"<?" * 60_000,
        b"<html>" + b"</" * 60_000,
        b"<html><script>" + b"</scrip" * 30_000,
    ],
    ids=["pre", "div", "comment", "tag", "cdata", "reference", "instruction", "end", "script"],
)
def test_a_deep_or_broken_page_ends(page: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "READER_SECONDS", 1)
    begun = time.monotonic()
    try:
        list(find(of_bytes("a.html", page)))
    except UsageError as problem:
        assert "takes more than 1 s of a processor, the limit" in str(problem)  # noqa: PT017
    assert time.monotonic() - begun < 60


def test_a_page_that_takes_the_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "READER_MEMORY", 16 * MIB)
    with pytest.raises(UsageError, match="more than 16 MiB of memory, the limit"):
        of_bytes("a.html", b"<html>" + b"<p>xxxxxx" * 3_000_000)


def test_a_mail_of_soft_breaks_ends(good: Path) -> None:
    mail = b"=3D=\n" * 1_000_000 + _HDPARM.replace("=", "=3D").encode()
    begun = time.monotonic()
    list(find(of_bytes("mail", mail)))
    assert time.monotonic() - begun < 60


# Long files


def _long(path: Path, size: int) -> Path:
    """A text of that many bytes with one output at its end; most of it takes no room on a disk."""
    line = b"all is well and nothing was measured here\n"
    with path.open("wb") as file:
        for _ in range(size // (len(line) << 16)):
            file.write(line * (1 << 16))
        file.write(b"\n" + _HDPARM.encode())
    return path


def test_a_long_text_takes_no_more_memory_than_a_short_one(run: Run, tmp_path: Path) -> None:
    done = run("import", "--dry-run", _long(tmp_path / "long.txt", 400 * MIB))
    assert (done.status, "hdparm" in done.stdout) == (0, True), done.stderr
    assert done.memory < 300 * MIB


def test_a_file_longer_than_the_limit_is_refused(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.write(_HDPARM.encode())
        file.truncate(limits.DOCUMENT + 1)
    done = run("import", tmp_path / "huge")
    assert (done.status, "more than 64 GiB, the limit" in done.stderr) == (2, True), done.stderr


def test_a_line_without_end_is_refused(run: Run, good: Path, tmp_path: Path) -> None:
    with (tmp_path / "line").open("wb") as file:
        file.write(_HDPARM.encode() + b"x" * 8000)
        file.truncate(8 << 30)
    done = run("import", "--dry-run", tmp_path / "line", good)
    assert (done.status, "a line of more than 16 MiB" in done.stderr) == (2, True), done.stderr
    assert done.memory < 500 * MIB


def test_a_file_cut_short_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = _long(tmp_path / "a.txt", 64 * MIB)
    with open_document(str(path)) as document:
        os.truncate(path, 20 * MIB)
        with pytest.raises(UsageError, match="became shorter"):
            list(find(document))


def test_cutting_files_short_never_kills(run: Run, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "shrinking.txt"
    for pause in (0.3, 0.5, 0.8):
        _long(path, 128 * MIB)
        cut = threading.Timer(pause, os.truncate, (path, 1000))
        cut.start()
        done = run("import", "--dry-run", path, good)
        cut.cancel()
        assert done.status in {0, 2}, (done.status, done.stderr)
        assert "hdparm" in done.stdout


def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path) -> None:
    path = _long(tmp_path / "a.txt", 32 * MIB)
    with open_document(str(path)) as document:
        with path.open("ab") as file:
            file.write(_HDPARM.encode())
        assert sum(isinstance(output, FoundOutput) for output in find(document)) == 1


def test_files_of_the_kernel_are_read(run: Run) -> None:
    done = run("import", "--dry-run", "/proc/mounts", "/proc/sys/vm/swappiness", "/proc/meminfo")
    assert "cannot be read" not in done.stderr
    assert "became shorter" not in done.stderr


# Readers that take too long


class _OfReader(NamedTuple):
    """What a search knows of a reader."""

    output: Any
    anchors: tuple[str, ...]


def test_an_output_that_takes_too_long_is_not_read_and_the_next_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from iosonde.text import search as module

    class Slow:
        tool, anchors = "slow", ("Timing cached",)

        def begin(self, view: View) -> int | None:
            return view.at

        def read(self, view: View, first: int) -> OutputReading:
            re.fullmatch("(a|a)*b", "a" * 40)
            raise AssertionError

    quick = next(output for output in module.outputs() if output.tool == "hdparm")
    monkeypatch.setattr(limits, "OUTPUT_SECONDS", 0.2)
    for readers, expected in (((Slow(),), [Unread]), ((Slow(), quick), [Unread, FoundOutput])):
        kinds = tuple(_OfReader(reader, reader.anchors) for reader in readers)
        monkeypatch.setattr(module, "output_kinds", lambda every=kinds: every)
        monkeypatch.setattr(module, "anchors", lambda every=kinds: Anchors(
            [(anchor, at) for at, kind in enumerate(every) for anchor in kind.anchors]
        ))  # fmt: skip
        found_outputs = list(find(of_bytes("a", _HDPARM.encode())))
        assert [type(found_output) for found_output in found_outputs] == expected
        assert isinstance(found_outputs[0], Unread)
        assert "more than 0.2 s of a processor" in found_outputs[0].reason


# One bad file of several


def test_one_bad_file_does_not_lose_the_others(run: Run, good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.gz"
    bad.write_bytes(b"\x1f\x8b\x08nothing")
    done = run("import", bad, good, tmp_path / "none")
    assert done.status == 2
    assert "hdparm" in done.stdout
    assert "is run" in done.stderr
    assert f"{bad}: is a damaged gzip file" in done.stderr
    assert "none: cannot be read" in done.stderr
    as_json = json.loads(run("import", "--json", "--dry-run", bad, good).stdout)
    assert [record["file"] for record in as_json["failed"]] == [str(bad)]
    assert len(as_json["trials"]) == 1


def test_one_bad_log_or_trace_does_not_lose_the_others(run: Run, tmp_path: Path) -> None:
    log, none = tmp_path / "a.iolog", tmp_path / "none"
    log.write_text(_IOLOG)
    for verb in (["log"], _TRACE):
        done = run(*verb, none, log)
        assert (done.status, str(log) in done.stdout) == (2, True), done.stdout + done.stderr
        assert f"{none}: cannot be read" in done.stderr
        as_json = json.loads(run(*verb, "--json", none, log).stdout)
        assert [record["file"] for record in as_json["failed"]] == [str(none)]


def test_explain_goes_on_after_a_bad_file(run: Run, good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 nothing of it")
    done = run("explain", bad, good)
    assert (done.status, "1 trial" in done.stdout) == (2, True), done.stdout + done.stderr
    assert "damaged PDF" in done.stderr
