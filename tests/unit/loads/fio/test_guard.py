"""Options that together, repeated or misread would reach beyond the target."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.loads.fio import Fio
from iosonde.loads.fio.job import job_of
from iosonde.records.load import RawOutput, Target, TargetKind

FIO = Fio()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("numjobs=99999999999", "numjobs=99999999999"),
        ("numjobs=5000", "at most 4096"),
        ("size=99999999999999999999999999g", "is not a size"),
        ("runtime=9999999999999999999999", "is not a time"),
        ("new_option=/etc/passwd", "may name a path beside the target"),
        ("bs=4k\nwrite_lat_log=/etc/x\nlog_avg_msec=0", "writes a line for every I/O"),
        ("size=${HOME}", "waits for a shell or an environment"),
        ("description=`id`", "waits for a shell or an environment"),
    ],
)
def test_what_cannot_be_guarded_is_refused(line: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        FIO.declare(f"[job]\nrw=read\n{line}\n", name="job", where="here")
    assert message in str(caught.value)


def test_the_name_of_a_job_is_no_path() -> None:
    with pytest.raises(UsageError, match="cannot be the name of a job"):
        FIO.declare("[../../etc/cron.d/x]\nrw=write\nverify=md5\n", name="job", where="here")


def test_of_repeated_options_the_last_is_kept_alone() -> None:
    load = FIO.declare("[job]\nrw=read\nbs=4k\nreadwrite=write\n", name="job", where="here")
    (section,) = job_of(load).sections
    assert section.options == (("readwrite", "write"), ("bs", "4k"))
    assert FIO.demand(load).writes


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"filesize": "2m"}, 2 << 20),
        ({"filesize": "1m-3m", "size": "1m"}, 3 << 20),
        ({"filesize": "1m", "size": "50%"}, None),
        ({"size": "4kib"}, 4000),
        ({"size": "4kib", "kb_base": 1000}, 4096),
        ({"size": "0x1000"}, 4096),
        ({"size": "1m", "fill_device": True}, None),
    ],
)
def test_the_room_a_job_needs(options: dict[str, str | int | bool], size: int | None) -> None:
    load = FIO.declare({"rw": "write", **options}, name="job", where="here")
    assert FIO.demand(load).size == size


@pytest.mark.parametrize(
    ("options", "past"),
    [
        ({"rw": "write"}, False),
        ({"rw": "write", "direct": True}, True),
        ({"rw": "write", "buffered": 0}, True),
        ({"rw": "write", "fdatasync": 1}, True),
        ({"rw": "write", "fdatasync": 8}, False),
        ({"rw": "rw", "fdatasync": 1}, False),
        ({"rw": "write", "sync": "dsync"}, True),
        ({"rw": "read", "ioengine": "mmap", "direct": True}, False),
    ],
)
def test_whose_figures_would_be_the_page_caches(
    options: dict[str, str | int | bool], past: bool
) -> None:
    assert FIO.demand(FIO.declare({**options}, name="job", where="here")).direct is past


def test_the_real_fio_reads_kib_as_a_thousand(tmp_path: Path) -> None:
    """The note on "4kib" says what fio does, not what the manual's reader expects."""
    load = FIO.declare({"rw": "write", "bs": "4kib", "size": "8000"}, name="job", where="here")
    assert any("1000 bytes" in note for note in job_of(load).notes)
    result = FIO.parse(run(load_text="rw=write\nbs=4kib\nsize=8000", directory=tmp_path))
    assert result.issued["write"] == 2


def test_fio_writes_to_the_target_and_our_directory_alone(tmp_path: Path) -> None:
    """Every option that names a file, from a working directory that must stay empty."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = "\n".join(
        ["rw=randrw", "bs=4k", "size=256k", "verify=crc32c", f"directory={elsewhere}",
         f"filename={elsewhere}/other", "log_avg_msec=100", f"write_bw_log={elsewhere}/a",
         f"write_lat_log={elsewhere}/b", "write_iops_log", f"write_hist_log={elsewhere}/d",
         "log_hist_msec=100", "numjobs=2", "offset_increment=256k", "unlink=1", "create_on_open=1"]
    )  # fmt: skip
    raw = run(load_text=text, directory=tmp_path, cwd=elsewhere)
    result = FIO.parse(raw)
    assert result.issued["write"] > 0
    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / "scratch").stat().st_size == 1 << 20, "neither longer, shorter nor gone"
    assert {name for name in raw.files if name.startswith("write_bw_log")} == {
        "write_bw_log_bw.1.log", "write_bw_log_bw.2.log",
    }  # fmt: skip


def test_a_target_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    raw = run(load_text="rw=write\nsize=64k", directory=tmp_path, missing=True)
    assert raw.status != 0
    assert not (tmp_path / "scratch").exists()


def test_a_reading_load_cannot_write(tmp_path: Path) -> None:
    """Were a direction misread, fio's own --readonly stops it."""
    load = FIO.declare({"rw": "read", "size": "64k"}, name="job", where="here")
    target = Target("local", str(tmp_path / "scratch"), TargetKind.FILE)
    command = FIO.command(load, target, directory=str(tmp_path), seconds=None)
    (tmp_path / "scratch").write_bytes(b"x" * 65536)
    (tmp_path / "job.fio").write_text("[job]\nrw=write\nsize=64k\n")
    done = subprocess.run(command.argv, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0
    assert (tmp_path / "scratch").read_bytes() == b"x" * 65536


def run(
    *, load_text: str, directory: Path, cwd: Path | None = None, missing: bool = False
) -> RawOutput:
    """One loop with the real fio on a scratch file of 1 MiB."""
    load = FIO.declare(f"[job]\n{load_text}\n", name="job", where="here")
    target = Target("local", str(directory / "scratch"), TargetKind.FILE)
    command = FIO.command(load, target, directory=str(directory), seconds=None)
    if not missing:
        (directory / "scratch").write_bytes(os.urandom(1 << 20))
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    done = subprocess.run(
        command.argv, capture_output=True, check=False, timeout=60, cwd=cwd or directory
    )
    files = {
        Path(path).name: Path(path).read_bytes() for path in command.outputs if Path(path).exists()
    }
    return RawOutput(done.returncode, done.stdout, done.stderr, files)
