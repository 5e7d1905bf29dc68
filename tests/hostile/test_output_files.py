"""What a user names as output is a file, whole or as it was before; never a device or a FIFO."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from iosonde.errors import OutputFailed, Refused, UsageError
from iosonde.outputs import output_file, require_output, write_output
from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND, Stranger
from tests.unit.trace.sample import requests, text

Iosonde = Callable[..., Ended]

ROOT = Path(__file__).parents[2]
STACK = ROOT / "examples" / "stacks" / "aoe-san.yaml"
LOAD = "fio --name x --rw randwrite --bs 4k --direct 1 --size 64m"
PRINTED = (
    "# Disk\n\n/dev/md127:\n"
    " Timing cached reads:   9636 MB in  2.00 seconds = 4820.51 MB/sec\n"
    " Timing buffered disk reads: 1544 MB in  3.03 seconds = 509.52 MB/sec\n"
)


@pytest.fixture
def stored(imported: Callable[..., None], tmp_path: Path) -> None:
    """A run in the store."""
    (tmp_path / "printed.txt").write_text(PRINTED)
    imported("printed.txt")


@pytest.fixture
def trace_file(tmp_path: Path) -> str:
    (tmp_path / "trace").write_bytes(text("msr", requests(50)))
    return "trace"


def digest(device: str) -> str:
    return hashlib.sha256(Path(device).read_bytes()).hexdigest()


def writing(place: str) -> list[list[str]]:
    """Every verb that writes a file under a name of the user's."""
    predict = ["predict", "--stack", str(STACK), "--load", LOAD]
    return [
        ["report", "last", "-o", place],
        ["report", "last", "-f", "png", "-o", place],
        ["export", "last", "-f", "csv", "-o", place],
        ["export", "last", "-f", "parquet", "-o", place],
        ["trace", "describe", "trace", "--html", place],
        [*predict, "--html", place],
        [*predict, "--svg", place],
        [*predict, "--search", "--set", "aoe.mtu=1500,4200", "--prior", place],
        ["run", "--load", "latency", "--target", ".", "--report", place],
    ]


@pytest.mark.root
@pytest.mark.usefixtures("stored", "trace_file")
def test_no_verb_writes_its_file_into_a_block_device(
    iosonde: Iosonde, device: str, tmp_path: Path
) -> None:
    pattern = os.urandom(1 << 20)
    with Path(device).open("r+b") as file:
        file.write(pattern)
    before = digest(device)
    (tmp_path / "link.parquet").symlink_to(device)
    attempts = [
        *writing(device),
        *writing("link.parquet")[::3],
        ["trace", "convert", "trace", "link.parquet"],
    ]
    for attempt in attempts:
        ended = iosonde(*attempt)
        assert (ended.status, ended.stdout) == (2, ""), attempt
        assert "this is a block device, expected a file" in ended.stderr
        assert digest(device) == before, attempt
    assert Path(device).is_block_device()


@pytest.mark.usefixtures("stored", "trace_file")
def test_no_verb_waits_for_a_fifo_or_takes_the_place_of_something_else(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "fifo")
    for attempt in writing("fifo")[::4]:
        ended = iosonde(*attempt, timeout=30)
        assert ended.status == 2, attempt
        assert "this is a FIFO, expected a file" in ended.stderr
    assert (tmp_path / "fifo").is_fifo()


def test_nothing_but_a_regular_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for place, kind in (
            ("/dev/null", "a character device"), ("/dev/zero", "a character device"),
            (str(tmp_path / "socket"), "a socket"), (str(tmp_path / "directory"), "a directory"),
        ):  # fmt: skip
            with pytest.raises(UsageError, match=f"this is {kind}, expected a file"):
                write_output(place, b"x", "the report")
            with pytest.raises(UsageError, match=f"this is {kind}, expected a file"):
                require_output(place, "the report")
    for place in (f"{tmp_path}/", f"{tmp_path}/.", "..", str(tmp_path / "none" / "file")):
        with pytest.raises(UsageError, match="the report cannot be written"):
            write_output(place, b"x", "the report")


def test_the_store_cannot_be_named_by_its_descriptor(tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w+b") as ours:
        for place in (f"/dev/fd/{ours.fileno()}", f"/proc/self/fd/{ours.fileno()}"):
            with pytest.raises(UsageError, match="Bad file descriptor"):
                write_output(place, b"report", "the report")
    assert (tmp_path / "ours").read_bytes() == b""


@pytest.mark.root
def test_a_link_of_another_user_is_not_followed(stranger: Stranger, tmp_path: Path) -> None:
    canary, link = tmp_path / "canary", tmp_path / "report.html"
    canary.write_text("canary")
    link.symlink_to(canary)
    os.chown(link, stranger.uid, stranger.gid, follow_symlinks=False)
    with pytest.raises(Refused, match="link of another user"):
        require_output(link, "the report")
    with pytest.raises(Refused, match="link of another user"):
        write_output(link, b"report", "the report")
    assert canary.read_text() == "canary"


@pytest.mark.root
def test_a_name_that_turns_into_a_link_at_any_moment_leads_no_byte_to_its_target(
    stranger: Stranger, tmp_path: Path
) -> None:
    canary, folder = tmp_path / "canary", tmp_path / "folder"
    canary.write_text("canary")
    folder.mkdir()
    name, away, ended = folder / "report.html", folder / "away", threading.Event()

    def swap() -> None:
        while not ended.is_set():
            away.symlink_to(canary)
            os.chown(away, stranger.uid, stranger.gid, follow_symlinks=False)
            away.rename(name)
            away.write_text("a file")
            away.rename(name)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(300):
            with suppress(Refused, UsageError), output_file(name, "the report") as file:
                file.write(b"report")
            assert canary.read_text() == "canary"
    finally:
        ended.set()
        swapping.join()
    assert not [path for path in folder.iterdir() if path.name.startswith(".iosonde-")]


def test_a_link_put_there_while_the_file_is_written_gets_no_byte(tmp_path: Path) -> None:
    canary, name = tmp_path / "canary", tmp_path / "report.html"
    canary.write_text("canary")

    def write() -> None:
        with output_file(name, "the report") as file:
            file.write(b"report")
            name.symlink_to(canary)

    with pytest.raises(UsageError, match="this is a link"):
        write()
    assert canary.read_text() == "canary"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["canary", "report.html"]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Writing beyond `size` fails, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    old = tmp_path / "report.html"
    old.write_text("the old report")
    with largest_file(1 << 16), pytest.raises(OutputFailed, match="cannot be written") as raised:
        write_output(old, bytes(1 << 20), "the report")
    assert raised.value.exit_code == 4
    assert old.read_text() == "the old report"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    with largest_file(1 << 16), pytest.raises(OutputFailed):
        write_output(tmp_path / "new", bytes(1 << 20), "the report")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.root
@pytest.mark.usefixtures("stored", "trace_file")
def test_every_verb_says_that_the_disk_is_full_and_keeps_the_old_file(
    environment: Mapping[str, str],
    unshared: Callable[[Sequence[str | Path]], list[str]],
    tmp_path: Path,
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "big").write_bytes(text("msr", requests(30_000)))
    script = (
        "mount -t tmpfs -o size=64k,nr_inodes=8 none full; echo old >full/out\n"
        'cat /dev/zero >full/rest 2>&-; "$@"; status=$?\n'
        'printf "%s %s %s" "$status" "$(cat full/out)" "$(ls -A full | wc -l)"'
    )
    for attempt in (
        ["report", "last", "-o", "full/out"],
        ["trace", "convert", "big", "full/out.parquet"],
    ):
        done = subprocess.run(
            unshared(["sh", "-c", script, "sh", *COMMAND, *attempt]), env=dict(environment),
            cwd=tmp_path, capture_output=True, timeout=60, check=True,
        )  # fmt: skip
        said = done.stderr.decode()
        assert done.stdout.decode().endswith("4 old 2"), (attempt, said, done.stdout)
        assert "cannot be written" in said
        assert "Traceback" not in said


# What looks alike and is right.


def test_an_old_report_is_replaced_with_its_mode_and_a_link_of_ones_own_is_followed(
    tmp_path: Path,
) -> None:
    place, link = tmp_path / "report.html", tmp_path / "latest"
    place.write_text("old and longer")
    place.chmod(0o640)
    link.symlink_to(place)
    write_output(link, b"new", "the report")
    assert link.is_symlink()
    assert place.read_bytes() == b"new"
    assert place.stat().st_mode & 0o777 == 0o640
    require_output(tmp_path / "other", "the report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "report.html"]


def test_a_new_file_has_the_mode_that_the_umask_asks_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_output(tmp_path / "report", b"x", "the report")
    finally:
        os.umask(before)
    assert (tmp_path / "report").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "command",
    [
        '"$@" export last -f csv -o /dev/stdout | cat >out',
        '"$@" export last -f csv -o - >out',
        '"$@" export last -f csv >out',
        '"$@" report last -f markdown -o - >out',
        '"$@" report last -f markdown -o /dev/fd/3 3>out',
        '"$@" report last -f markdown -o >(cat >out) && wait $!',
        '"$@" export last -f csv -o /proc/self/fd/1 >out',
        '"$@" export last -f parquet -o /dev/stdout | cat >out',
    ],
)
@pytest.mark.usefixtures("stored")
def test_standard_output_and_what_the_shell_opened_are_written_to(
    command: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        ["bash", "-c", command, "bash", *COMMAND], env=dict(environment), cwd=tmp_path,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    written = (tmp_path / "out").read_bytes()
    assert written.startswith(b"PAR1") if "parquet" in command else b"bandwidth" in written
    names = {path.name for path in tmp_path.iterdir()}
    assert names <= {"out", "printed.txt", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"}


@pytest.mark.root
def test_a_file_in_a_directory_that_is_closed_to_its_owner_is_overwritten(
    stranger: Stranger, open_folder: Path
) -> None:
    place = open_folder / "report.html"
    place.write_text("old and much longer than what is new")
    os.chown(place, stranger.uid, stranger.gid)
    child = os.fork()  # the interpreter is closed to other users, so that none can be started
    if child == 0:
        status = 1
        with suppress(BaseException):
            os.setgroups([])
            os.setgid(stranger.gid)
            os.setuid(stranger.uid)
            require_output(place, "the report")
            write_output(place, b"new", "the report")
            status = 0
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert place.read_bytes() == b"new"
    assert place.stat().st_uid == stranger.uid


@pytest.mark.root
def test_a_file_that_is_a_mount_is_overwritten(
    unshared: Callable[[Sequence[str | Path]], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("old and longer")
    (tmp_path / "here").write_text("")
    code = "from iosonde.outputs import write_output; write_output('here', b'new', 'the report')"
    script = 'mount --bind there here && exec "$@"'
    done = subprocess.run(
        unshared(["sh", "-c", script, "sh", *COMMAND[:2], code]), cwd=tmp_path,
        capture_output=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "there").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "there"]
