"""Openers that hide, images that are used elsewhere, containers: the guard sees them or refuses."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.errors import Refused
from iosonde.hosts import open_host
from iosonde.scripts import source
from tests import sshd
from tests.guarded import allowed, refusal
from tests.hostile.conftest import COMMAND, clean_environment
from tests.loop.devices import MIB, mounted, partitions, tool

# One after the other: descriptors that one test sends may be of the device another looks at.
pytestmark = [pytest.mark.root, pytest.mark.xdist_group("openers")]
OPENERS = Path(__file__).parent / "openers.py"


@contextmanager
def opener(way: str, *arguments: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of openers.py that has what it was told to have."""
    process = subprocess.Popen(
        [sys.executable, OPENERS, way, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        try:
            process.communicate(b"\n", timeout=20)
        finally:
            process.kill()
            process.wait()


@contextmanager
def attached(image: str | Path, *options: str) -> Iterator[str]:
    """One more loop device on something that is there."""
    device = tool("losetup", "--find", "--show", *options, image)
    try:
        yield device
    finally:
        tool("losetup", "--detach", device)


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("mapping", "mapped in process {}"),
        ("own-table", "open in process {}"),
        ("leader-ended", "mapped in process {}"),
        ("in-flight", "descriptors are on their way to process {}"),
        ("ring", "open in process {}"),
    ],
)
async def test_an_opener_without_a_descriptor_of_its_process(
    device: str, way: str, reason: str
) -> None:
    with opener(way, device) as process:
        fds = Path(f"/proc/{process.pid}/fd")
        assert device not in [str(path.readlink()) for path in fds.iterdir()]
        assert reason.format(process.pid) in (await refusal(device)).message
    await allowed(device)


_READING = "import sys\nprint(flush=True)\nwhile True: open(sys.argv[1]).read()"


async def test_a_ring_is_seen_while_others_read_about_it(device: str) -> None:
    """io_uring/fdinfo.c lists no files while another holds the ring's lock, as a reader does."""
    with opener("ring", device) as process:
        ring = next(
            entry.name
            for entry in Path(f"/proc/{process.pid}/fd").iterdir()
            if str(entry.readlink()) == "anon_inode:[io_uring]"
        )
        about = f"/proc/{process.pid}/fdinfo/{ring}"
        argv = [sys.executable, "-c", _READING, about]
        readers = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(4)]
        try:
            for reader in readers:  # which take longer to start than thousands of reads
                assert reader.stdout is not None
                reader.stdout.readline()
            end = time.monotonic() + 30
            while device in Path(about).read_text():
                assert time.monotonic() < end, "the readers did not meet"
            program = [sys.executable, "-c", source("iosonde.change", "scan_host.py")]
            for _ in range(5):
                assert f"open in process {process.pid}" in (await refusal(device)).message
                done = subprocess.run(program, capture_output=True, check=True, text=True)
                assert f"\nregistered {process.pid} device " in done.stdout
        finally:
            for reader in readers:
                reader.kill()
                reader.communicate()
    await allowed(device)


async def test_a_program_among_the_arguments_of_an_opener_is_shown_by_its_first_line(
    device: str,
) -> None:
    program = "import sys  # holds\nheld = open(sys.argv[1], 'rb')\nprint(flush=True)\ninput()\n"
    argv = [sys.executable, "-c", program, device]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        evidence = (await refusal(device)).evidence
        process.communicate(b"\n")
    assert "-c import sys  # holds … " in evidence
    assert "\n" not in evidence


async def test_a_descriptor_that_was_received_and_closed_is_none(device: str) -> None:
    with opener("received", device):
        await allowed(device)


async def test_descriptors_in_flight_to_another_user_stop_nobody(device: str) -> None:
    """Anybody can leave one there for ever."""
    with opener("strangers", "/dev/full"):
        await allowed(device)


async def test_mounted_by_a_thread_in_a_mount_namespace_of_its_own(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    place = tmp_path / "at"
    place.mkdir()
    with opener("thread-mounted", device, place) as process:
        assert str(place) not in Path(f"/proc/{process.pid}/mountinfo").read_text()
        finding = await refusal(device, f"{device}=ext4")
    assert f"mounted at {place}" in finding.message
    await allowed(device, f"{device}=ext4")


async def test_a_second_loop_device_on_the_image_is_mounted(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    with attached(tmp_path / "disk") as second:
        await allowed(device, f"{device}=ext4")  # nobody uses it
        with mounted(second, tmp_path / "at"):
            finding = await refusal(device, f"{device}=ext4")
        await allowed(device, f"{device}=ext4")
    assert f"mounted at {tmp_path}/at (on the same image: {second[5:]})" in finding.message


async def test_a_second_loop_device_is_known_by_its_inode(device: str, tmp_path: Path) -> None:
    """Its name lies: attached in another mount namespace, under a name that was removed there."""
    tool("mkfs.ext4", "-q", "-F", device)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    script = 'mount --bind "$1" "$2" && losetup --find --show "$2" && umount --lazy "$2" && rm "$2"'
    done = subprocess.run(  # not tool(), which tries again: each time attaches one more
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh",
         tmp_path / "disk", elsewhere],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    second = done.stdout.strip()
    try:
        assert done.returncode == 0, done.stderr
        with mounted(second, tmp_path / "at"):
            assert "mounted at" in (await refusal(device, f"{device}=ext4")).message
    finally:
        if second:
            tool("losetup", "--detach", second)


async def test_loop_devices_beside_one_another_on_an_image_share_nothing(tmp_path: Path) -> None:
    image = tmp_path / "disk"
    with image.open("wb") as file:
        file.truncate(64 * MIB)
    half = str(32 * MIB)
    with attached(image, "--sizelimit", half) as first, attached(image, "--offset", half) as second:
        tool("mkfs.ext4", "-q", "-F", second)
        with mounted(second, tmp_path / "at"):
            await allowed(first)
            with attached(image, "--offset", str(16 * MIB), "--sizelimit", half) as both:
                assert "mounted at" in (await refusal(both)).message


async def test_a_partition_shares_with_a_loop_device_at_its_offset(
    device: str, tmp_path: Path
) -> None:
    image = tmp_path / "disk"
    with partitions(device, (2048, 40960), (65536, 40960)) as (first, second):
        tool("mkfs.ext4", "-q", "-F", second)
        span = ("--offset", str(65536 * 512), "--sizelimit", str(40960 * 512))
        with attached(image, *span) as over, mounted(over, tmp_path / "at"):
            assert "mounted at" in (await refusal(second, f"{second}=ext4")).message
            assert "mounted at" in (await refusal(device)).message
            await allowed(first)


async def test_what_a_loop_device_stands_on_is_in_use(device: str, tmp_path: Path) -> None:
    with attached(device) as above, attached(above) as top:
        await allowed(top)
        tool("mkfs.ext4", "-q", "-F", device)
        with mounted(device, tmp_path / "at"):
            finding = await refusal(top, f"{top}=ext4")
        assert f"(what it stands on, {device[5:]})" in finding.message
        assert "held by" in (await refusal(above, f"{above}=ext4")).message


@pytest.mark.parametrize("way", ["open", "mapped", "swap"])
async def test_its_image_is_used_elsewhere(tmp_path: Path, way: str) -> None:
    image, beside = tmp_path / "disk", tmp_path / "beside"
    image.write_bytes(bytes(16 * MIB))
    image.chmod(0o600)
    beside.write_bytes(b"another")
    with attached(image) as device:
        with beside.open("rb"):
            await allowed(device)
        if way == "open":
            with image.open("rb"):
                assert "its image is open in process" in (await refusal(device)).message
        elif way == "mapped":
            with opener("mapping", image):
                assert "its image is mapped in process" in (await refusal(device)).message
        else:
            tool("mkswap", image)
            tool("swapon", image)
            try:
                finding = await refusal(device, f"{device}=swap")
            finally:
                tool("swapoff", image)
            assert f"used as swap (its image {image})" in finding.message


_CHECK = """\
import asyncio, sys
from iosonde.change.guard import check_target, parse_destroy
from iosonde.errors import Refused
from iosonde.hosts import open_host
from iosonde.scripts import source
from iosonde.hosts.local import LocalHost
permissions = parse_destroy([sys.argv[1]], in_container="--in-container" in sys.argv)
try:
    asyncio.run(check_target(LocalHost(), sys.argv[1], writes="read" not in sys.argv,
                             permissions=permissions))
except Refused as refused:
    print(refused.message, refused.hint)
else:
    print("allowed")
"""
CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc", "--"]
USER = ["unshare", "--user", "--map-root-user", "--"]
BLIND = ["setpriv", "--bounding-set", "-sys_ptrace", "--"]


@pytest.mark.parametrize("within", [CONTAINER, USER, BLIND], ids=["pid", "user", "capability"])
def test_where_not_all_can_be_seen_a_device_is_not_written_to(
    device: str, within: list[str]
) -> None:
    def check(*arguments: str) -> str:
        return tool(*within, sys.executable, "-c", _CHECK, device, *arguments)

    with Path(device).open("rb"):  # which nobody in there can see
        message = check()
        assert "sees a part of this host alone" in message
        assert "--in-container" in message
        assert check("read") == "allowed"


@pytest.mark.parametrize("contained", [False, True], ids=["host", "container"])
async def test_the_same_over_ssh(
    device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contained: bool
) -> None:
    """What counts is where the server runs, not where iosonde does."""
    home = tmp_path / "home"
    home.mkdir()
    box = sshd.configure(home)
    monkeypatch.setenv("HOME", str(home))
    server = sshd.start(box, [*CONTAINER[:-1], "--kill-child", "--"] if contained else ())
    try:
        host = await open_host(box.address)
        try:
            for option in (False, True):
                permissions = parse_destroy([device], in_container=option)
                if contained and not option:
                    with pytest.raises(Refused, match="sees a part of this host alone"):
                        await check_target(host, device, writes=True, permissions=permissions)
                else:
                    await check_target(host, device, writes=True, permissions=permissions)
            if not contained:
                with opener("own-table", device), pytest.raises(Refused, match="open in process"):
                    await check_target(host, device, writes=True, permissions=permissions)
        finally:
            await host.close()
    finally:
        server.kill()
        server.wait(10)


def test_in_a_container_its_user_may_say_otherwise(device: str) -> None:
    argv = [*CONTAINER, sys.executable, "-c", _CHECK, device, "--in-container"]
    assert tool(*argv) == "allowed"
    with opener("own-table", device):
        assert tool(*argv) == "allowed"  # as said in docs/use/guard.md: outside


def test_in_a_container_what_can_be_seen_is_still_refused(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    argv = [*CONTAINER, sys.executable, "-c", _CHECK, device, "--in-container"]
    with mounted(device, tmp_path / "at"):
        assert "mounted at" in tool(*argv)


def test_run_in_a_container(device: str, tmp_path: Path) -> None:
    """A device only with --in-container, which says what cannot be seen; a scratch file always."""

    def run(target: str | Path, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*CONTAINER, *COMMAND, "run", "--load", "sequential-write", "--target", target,
             "--loops", "1", "--seconds", "1", "--size", "8MiB", *options],
            env=clean_environment(tmp_path), capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip

    refused = run(device, "--destroy", device)
    assert refused.returncode == 3, refused.stderr
    assert "--in-container" in refused.stderr
    permitted = run(device, "--destroy", device, "--in-container")
    assert permitted.returncode == 0, permitted.stderr
    assert "outside" in permitted.stderr
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert run(scratch).returncode == 0
    assert list(scratch.iterdir()) == []


def test_perl_and_python_see_the_same(device: str, tmp_path: Path) -> None:
    """Both programs, before openers of every kind; only what is the test's own is compared."""
    image = (tmp_path / "disk").stat()
    number = os.stat(device).st_rdev  # noqa: PTH116
    own = (f"{os.major(number)}:{os.minor(number)}", f"{image.st_dev}:{image.st_ino}")
    source = Path(__file__).parents[2] / "src" / "iosonde" / "change"

    def seen(command: str, flag: str, program: str) -> list[str]:
        text = (source / program).read_text()
        done = subprocess.run([command, flag, text], capture_output=True, text=True, check=True)
        rows = done.stdout.splitlines()
        assert rows[-1] == "end"
        return sorted(row for row in rows if any(name in row.split(" ") for name in own))

    with (
        opener("own-table", device) as thread,
        opener("mapping", tmp_path / "disk") as memory,
        opener("ring", device),
        opener("leader-ended", device),
        partitions(device, (2048, 4096)),
    ):
        perl = seen("perl", "-e", "scan_host.pl")
        assert perl == seen(sys.executable, "-c", "scan_host.py")
        assert f"open {thread.pid} device {own[0]}" in perl
        assert f"mapped {memory.pid} file {own[1]}" in perl
        devices = [row for row in perl if row.split(" ")[0] in {"device", "backing"}]
        assert len(devices) == 3  # the disk, the loop device, the partition
        assert len(perl) - len(devices) == 4


def test_the_exclusive_claims_of_a_disk_and_its_partitions_exclude_one_another(
    device: str,
) -> None:
    """docs/use/guard.md says so (block/bdev.c, bd_may_claim): but two partitions do not."""
    with partitions(device, (2048, 4096), (8192, 4096)) as (first, second):
        flags = os.O_RDONLY | os.O_EXCL
        whole = os.open(device, flags)
        for part in (first, second):
            with pytest.raises(OSError, match="busy"):
                os.open(part, flags)
        os.close(os.open(first, os.O_RDWR))  # without a claim it is open to all
        os.close(whole)
        claims = [os.open(part, flags) for part in (first, second)]
        with pytest.raises(OSError, match="busy"):
            os.open(device, flags)
        for claim in claims:
            os.close(claim)
