"""One suite for every kind of host that runs commands: this machine, a real sshd on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iosonde.errors import (
    CommandFailed,
    CommandTimeout,
    FileMissing,
    HostFailed,
    PermissionMissing,
)
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.hosts.local import LocalHost
from tests.contract.conftest import gone, until
from tests.examples import examples

AWKWARD = ["", " ", "a b", "'", '"', "$(id)", "`id`", "\\", "*", "é µ", "a\nb", "-n", ";", "&"]


async def test_arguments_arrive_as_they_are(host: Host) -> None:
    done = await host.run(["printf", "%s\\0", *AWKWARD])
    assert done.stdout.decode().split("\0")[:-1] == AWKWARD


async def test_streams_and_status_are_kept_apart(host: Host) -> None:
    done = await host.run(["sh", "-c", "echo out; echo err >&2; exit 3"], check=False)
    assert (done.status, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
    with pytest.raises(CommandFailed, match="ended with status 3: err") as caught:
        await host.run(["sh", "-c", "echo err >&2; exit 3"])
    assert caught.value.host == host.name


async def test_input_of_any_bytes_and_size_is_read_to_its_end(host: Host) -> None:
    for content in (b"", b"\0\xff\n", os.urandom(300_000)):
        assert (await host.run(["cat"], stdin=content)).stdout == content
    assert (await host.run(["true"], stdin=b"x" * 300_000)).status == 0


async def test_large_outputs_do_not_stall(host: Host) -> None:
    script = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"
    done = await host.run(["sh", "-c", script])
    assert (len(done.stdout), len(done.stderr)) == (3_000_000, 3_000_000)


async def test_a_missing_command_has_status_127(host: Host) -> None:
    assert (await host.run(["no-such-command"], check=False)).status == 127


async def test_sbin_is_in_reach_and_tools_speak_english(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert (await host.run(["losetup", "--version"])).status == 0
    assert (await host.run(["sh", "-c", 'echo "$LC_ALL"'])).stdout == b"C\n"


async def test_a_command_past_its_time_is_stopped(host: Host) -> None:
    with pytest.raises(CommandTimeout, match=r"sleep did not end within 0\.2 s"):
        await host.run(["sleep", "77"], timeout=0.2)


async def test_cancelling_ends_the_command_and_its_children(host: Host, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 78 & echo $! > {pids}; sleep 79 & echo $! >> {pids}; wait"
    task = asyncio.ensure_future(host.run(["sh", "-c", script], timeout=None))
    assert await until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await until(lambda: all(gone(int(pid)) for pid in pids.read_text().split()))


async def test_a_process_that_ignores_the_polite_signal_is_killed(
    host: Host, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    script = f"trap '' TERM INT; echo $$ > {pid}; while :; do sleep 0.1; done"
    process = await host.start(["sh", "-c", script])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    done = await process.stop(grace=0.3)
    assert done.status != 0
    assert await until(lambda: gone(int(pid.read_text())))


async def test_killing_reaches_descendants_in_sessions_of_their_own(
    host: Host, tmp_path: Path
) -> None:
    """As fio's jobs are."""
    pid = tmp_path / "pid"
    inner = f"trap '' TERM INT; echo $$ > {pid}; while :; do sleep 0.1; done"
    process = await host.start(["sh", "-c", "trap '' TERM INT; setsid sh -c \"$1\"", "sh", inner])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    await process.stop(grace=0.3)
    assert await until(lambda: gone(int(pid.read_text())))


STUBBORN = "trap '' TERM; echo $$ > \"$0\"; while :; do sleep 0.1; done"


@pytest.mark.parametrize("begin", ["", "setsid"])
async def test_children_are_killed_that_outlive_their_parent(
    host: Host, tmp_path: Path, begin: str
) -> None:
    """The parent ends at once when told so; its child, here or in another session, does not."""
    pid = tmp_path / "pid"
    process = await host.start(["sh", "-c", f'{begin} sh -c "$1" "$0" & wait', str(pid), STUBBORN])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    done = await asyncio.wait_for(process.stop(grace=0.3), 60)
    assert done.status == -15
    assert await until(lambda: gone(int(pid.read_text())))


async def test_a_silent_child_is_ended_too(host: Host, tmp_path: Path) -> None:
    """One that holds none of our pipes."""
    pid = tmp_path / "pid"
    script = 'sh -c "$1" "$0" >/dev/null 2>&1 & wait'
    process = await host.start(["sh", "-c", script, str(pid), STUBBORN])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    await process.stop(grace=0.3)
    assert await until(lambda: gone(int(pid.read_text())))


async def test_a_daemon_that_keeps_our_pipes_open_does_not_hold_us(host: Host) -> None:
    begun = time.monotonic()
    with pytest.raises(CommandTimeout):
        await host.run(["sh", "-c", "setsid sleep 60 & exit 0"], timeout=0.3)
    assert time.monotonic() - begun < 30


async def test_more_commands_at_once_than_a_server_opens_sessions(host: Host) -> None:
    done = await asyncio.gather(*(host.run(["echo", str(number)]) for number in range(25)))
    assert [completed.stdout for completed in done] == [b"%d\n" % number for number in range(25)]


@pytest.mark.parametrize("status", [1, 126, 200, 255])
async def test_a_large_status_is_no_signal(host: Host, status: int) -> None:
    assert (await host.run(["sh", "-c", f"exit {status}"], check=False)).status == status


async def test_a_signal_is_told_as_one(host: Host) -> None:
    assert (await host.run(["sh", "-c", "kill -9 $$"], check=False)).status == -9


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.003, 0.01, 0.03])
async def test_cancelling_at_the_very_start_leaves_nothing_behind(host: Host, pause: float) -> None:
    length = f"{300 + pause}"
    task = asyncio.ensure_future(host.run(["sleep", length], timeout=None))
    await asyncio.sleep(pause)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    def sleepers() -> bool:
        answers = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                answers.append(file.read_bytes() == f"sleep\0{length}\0".encode())
        return any(answers)

    assert await until(lambda: not sleepers())


async def test_a_started_process_can_be_waited_for_twice(host: Host) -> None:
    process = await host.start(["sh", "-c", "echo done"])
    assert (await process.wait(10)).stdout == b"done\n"
    assert (await process.wait(10)).status == 0
    assert (await process.stop()).status == 0


async def test_files_are_read_to_their_end(host: Host, tmp_path: Path) -> None:
    content = os.urandom(500_000)
    (tmp_path / "a b").write_bytes(content)
    assert await host.read(str(tmp_path / "a b")) == content
    assert b"MemTotal" in await host.read("/proc/meminfo")
    assert len(await host.read("/proc/kallsyms")) > 100_000


async def test_what_cannot_be_read_says_why(host: Host, tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    with pytest.raises(FileMissing, match="none: No such file") as caught:
        await host.read(missing)
    assert caught.value.where == host.name
    with pytest.raises(HostFailed):
        await host.read(str(tmp_path))
    values = await host.read_many([missing, "/proc/version"])
    assert isinstance(values[missing], FileMissing)
    assert isinstance(values["/proc/version"], bytes)


async def test_large_files_are_read_whole(host: Host, tmp_path: Path) -> None:
    for size in (64 * 1024, 64 * 1024 + 1, 9_000_000):
        content = os.urandom(size)
        (tmp_path / "large").write_bytes(content)
        assert await host.read(str(tmp_path / "large")) == content


@pytest.mark.root
async def test_what_the_kernel_lets_nobody_read(host: Host) -> None:
    """An attribute for writing only: refused to root too, and never written to here."""
    with pytest.raises(PermissionMissing, match="drivers_probe: Permission denied"):
        await host.read("/sys/bus/platform/drivers_probe")


async def test_copying_what_is_not_there_names_the_source(host: Host, tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match="local: /none/source: No such file"):
        await host.copy("/none/source", str(tmp_path / "there"))


async def test_globs_and_links(host: Host, tmp_path: Path) -> None:
    for name in ("b1", "a1", "c2"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "a1")
    names = await host.glob(f"{tmp_path}/?1")
    assert names == (f"{tmp_path}/a1", f"{tmp_path}/b1")
    assert await host.glob(f"{tmp_path}/none/*") == ()
    assert await host.resolve(f"{tmp_path}/link") == f"{tmp_path}/a1"
    with pytest.raises(FileMissing):
        await host.resolve(f"{tmp_path}/none")
    assert await host.glob("/sys/block/*/queue/scheduler") == await LocalHost().glob(
        "/sys/block/*/queue/scheduler"
    )


async def test_files_are_written_whole_with_their_mode(host: Host, tmp_path: Path) -> None:
    place = tmp_path / "file"
    await host.write(str(place), b"one")
    await host.write(str(place), b"two\0", mode=0o600)
    assert place.read_bytes() == b"two\0"
    assert place.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with pytest.raises(FileMissing):
        await host.write(str(tmp_path / "no" / "file"), b"")


async def test_a_link_in_a_files_place_is_replaced_and_not_followed(
    host: Host, tmp_path: Path
) -> None:
    victim, link, source = tmp_path / "victim", tmp_path / "link", tmp_path / "source"
    victim.write_bytes(b"kept")
    source.write_bytes(b"new")
    for change in (host.write(str(link), b"new"), host.copy(str(source), str(link))):
        link.symlink_to(victim)
        await change
        assert not link.is_symlink()
        assert (link.read_bytes(), victim.read_bytes()) == (b"new", b"kept")
        link.unlink()
        (tmp_path / "pipe").unlink(missing_ok=True)
        os.mkfifo(tmp_path / "pipe")
        link.symlink_to(tmp_path / "pipe")  # opening it would wait for a reader
        await host.write(str(link), b"new")
        assert link.read_bytes() == b"new"
        link.unlink()


async def test_copy_and_remove(host: Host, tmp_path: Path) -> None:
    source, there = tmp_path / "source", tmp_path / "there"
    source.write_bytes(b"x" * 100_000)
    await host.copy(str(source), str(there))
    assert there.read_bytes() == source.read_bytes()
    await host.remove(str(there))
    await host.remove(str(there))
    assert not there.exists()


async def test_permission_is_told_as_such(tmp_path: Path) -> None:
    """As a user who is nobody: root may read everything."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0)
    script = (
        "import asyncio, os, sys\n"
        "from iosonde.hosts.local import LocalHost\n"
        "from iosonde.errors import PermissionMissing\n"
        "os.setuid(65534)\n"
        "try:\n    asyncio.run(LocalHost().read(sys.argv[1]))\n"
        "except PermissionMissing as problem:\n    print(problem)\n"
    )
    for parent in secret.parents:
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            parent.chmod(0o755)
    import sys

    done = subprocess.run(
        [sys.executable, "-c", script, str(secret)], capture_output=True, text=True, check=False
    )
    assert "Permission denied (run as root to reach it)" in done.stdout, done.stderr
    assert issubclass(PermissionMissing, HostFailed)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_a_shell_reads_back_what_was_quoted(arguments: list[str]) -> None:
    line = quote(["printf", "%s\\0", "x", *arguments])
    done = subprocess.run(["sh", "-c", line], check=True, capture_output=True)
    assert done.stdout.decode().split("\0")[:-1] == ["x", *arguments]


def test_no_command_line_carries_a_nul() -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote(["a\0b"])
